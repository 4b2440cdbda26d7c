import { type FormEvent, useId, useMemo, useState } from 'react';
import type { StopCondition } from '../../../../model/condition.js';
import type { Policy } from '../../../../model/policy.js';
import { Modal } from '../parts/modal.js';
import { limitFields, withFigure } from './limit-field.js';

interface ExtendFormProps {
  readonly policy: Policy;
  readonly onLimit: (limit: StopCondition) => void;
  readonly onClose: () => void;
}

/** Asks which limit is to be set anew, and to what. */
export function ExtendForm({ policy, onLimit, onClose }: ExtendFormProps) {
  const fields = useMemo(() => limitFields(policy), [policy]);
  const [path, setPath] = useState(fields[0]?.path ?? '');
  const [typed, setTyped] = useState<string>();
  const id = useId();
  const field = fields.find((each) => each.path === path) ?? fields[0];
  if (field === undefined) {
    return (
      <Modal title="Extend a limit" onClose={onClose}>
        <p>This run has no limit that could be set anew.</p>
      </Modal>
    );
  }
  const figure = typed ?? field.suggested;
  const limit = withFigure(field.condition, figure);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (limit !== undefined) onLimit(limit);
  };
  return (
    <Modal title="Extend a limit" onClose={onClose}>
      <form onSubmit={send}>
        <label htmlFor={`${id}-which`}>The run stops</label>
        <select
          id={`${id}-which`}
          value={field.path}
          onChange={({ target }) => {
            setPath(target.value);
            setTyped(undefined);
          }}
        >
          {fields.map((each) => (
            <option key={each.path} value={each.path}>
              {each.label}
            </option>
          ))}
        </select>
        <label htmlFor={`${id}-figure`}>From now on after ({field.hint})</label>
        <input
          id={`${id}-figure`}
          autoFocus
          value={figure}
          aria-invalid={limit === undefined}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div className="modal-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={limit === undefined}>
            Extend
          </button>
        </div>
      </form>
    </Modal>
  );
}
