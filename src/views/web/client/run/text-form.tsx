import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { Modal } from '../parts/modal.js';

interface TextFormProps {
  readonly title: string;
  readonly hint: string;
  readonly verb: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** Asks for a text. */
export function TextForm({ title, hint, verb, onText, onClose }: TextFormProps) {
  const [text, setText] = useState('');
  const id = useId();
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onText(text.trim());
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
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={press}
        />
        <div className="modal-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={text.trim() === ''}>
            {verb}
          </button>
        </div>
      </form>
    </Modal>
  );
}
