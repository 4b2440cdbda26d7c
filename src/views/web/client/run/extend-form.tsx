import { type FormEvent, useId, useState } from 'react';
import type { StopCondition } from '../../../../model/condition.js';
import type { RunState } from '../../../../model/run-state.js';
import { Modal } from '../parts/modal.js';
import { shownText } from '../text/shown-text.js';
import { FormProblem, type FormStanding } from './form-problem.js';
import { limitFields, withFigure, type LimitField } from './limit-field.js';
import { factsOf } from '../../../../stop/facts.js';
import { judge } from '../../../../stop/judge.js';
import { stateAt } from '../../../../words/state-at.js';

interface ExtendFormProps extends FormStanding {
  readonly state: RunState;
  readonly limitOrder: readonly string[];
  readonly onLimit: (limit: StopCondition) => void;
}

/** Asks which limit is to be set again, and to what. */
export function ExtendForm({ state, limitOrder, isSending, problem, onLimit, onClose }: ExtendFormProps) {
  const fields = limitFields(state.policy, limitOrder);
  const [key, setKey] = useState(fields[0]?.key ?? '');
  const [typed, setTyped] = useState<string>();
  const id = useId();
  const field = fields.find((each) => each.key === key) ?? fields[0];
  if (field === undefined) return <NoLimit onClose={onClose} />;
  const figure = typed ?? field.suggested;
  const limit = withFigure(field.condition, figure);
  const reached = limit === undefined ? undefined : reachedAlready(limit, state, Date.now());
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (limit !== undefined && !isSending) onLimit(limit);
  };
  return (
    <Modal title="Extend a limit" onClose={onClose}>
      <form onSubmit={send}>
        <LimitChoice
          fields={fields}
          chosen={field.key}
          onChoose={(next) => {
            setKey(next);
            setTyped(undefined);
          }}
        />
        <label htmlFor={`${id}-figure`}>From now on after ({field.hint})</label>
        <input
          id={`${id}-figure`}
          autoFocus
          autoComplete="off"
          value={figure}
          aria-invalid={limit === undefined}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => setTyped(target.value)}
        />
        <p id={`${id}-note`} className={limit === undefined || reached !== undefined ? 'hint fewer' : 'hint dim'}>
          {limit === undefined ? `Enter ${field.form}.` : null}
          {reached === undefined ? null : `That is already reached (${shownText(reached)}): it stops the run.`}
        </p>
        <FormProblem problem={problem} />
        <div className="modal-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className={reached === undefined ? 'primary' : 'danger'}
            disabled={limit === undefined || isSending}
          >
            {reached === undefined ? 'Extend' : 'Set it and stop the run'}
          </button>
        </div>
      </form>
    </Modal>
  );
}

function NoLimit({ onClose }: Pick<FormStanding, 'onClose'>) {
  return (
    <Modal title="Extend a limit" onClose={onClose}>
      <p>This run has no limit that can be changed.</p>
    </Modal>
  );
}

interface LimitChoiceProps {
  readonly fields: readonly LimitField[];
  readonly chosen: string;
  readonly onChoose: (key: string) => void;
}

/** Which limit is meant. */
function LimitChoice({ fields, chosen, onChoose }: LimitChoiceProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>The run stops</label>
      <select id={id} value={chosen} onChange={({ target }) => onChoose(target.value)}>
        {fields.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}

/** How a limit is reached that someone is about to set: `5 of 3 iterations`. Undefined when it is not. */
export function reachedAlready(limit: StopCondition, state: RunState, nowMs: number): string | undefined {
  const { status, reason } = judge(limit, factsOf(stateAt(state, nowMs)));
  return status === 'met' ? reason : undefined;
}
