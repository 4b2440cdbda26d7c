import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { MOST_TEXT_BYTES } from '../../../../model/loop-command.js';
import { count } from '../../../../model/figures.js';
import { Modal } from '../parts/modal.js';
import { FormProblem, type FormStanding } from './form-problem.js';

interface TextFormProps extends FormStanding {
  readonly title: string;
  readonly hint: string;
  readonly verb: string;
  readonly onText: (text: string) => void;
}

/** Asks for a text. */
export function TextForm({ title, hint, verb, isSending, problem, onText, onClose }: TextFormProps) {
  const [typed, setTyped] = useState('');
  const id = useId();
  const text = typed.trim();
  const bytes = new TextEncoder().encode(text).length;
  const isTooLong = bytes > MOST_TEXT_BYTES;
  const canSend = text !== '' && !isTooLong && !isSending;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (canSend) onText(text);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event);
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form onSubmit={send}>
        <label htmlFor={id}>{hint}</label>
        <textarea
          id={id}
          autoFocus
          rows={4}
          value={typed}
          aria-invalid={isTooLong}
          aria-describedby={`${id}-length`}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={press}
        />
        <p id={`${id}-length`} className={isTooLong ? 'hint fewer' : 'hint dim'}>
          {count(bytes)} of at most {count(MOST_TEXT_BYTES)} bytes{isTooLong ? ': shorten it to send it' : ''}
        </p>
        <FormProblem problem={problem} />
        <div className="modal-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={!canSend}>
            {verb}
          </button>
        </div>
      </form>
    </Modal>
  );
}
