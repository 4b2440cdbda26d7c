import { type FormEvent, useId, useState } from 'react';
import { MOST_TEXT_BYTES } from '../../../../model/loop-command.js';
import type { Question } from '../../../../model/question.js';
import { sendCommand } from '../live/send-command.js';
import { shownText } from '../text/shown-text.js';

interface QuestionFormProps {
  readonly runId: string;
  /** Without an id: the one that an agent in code waits for. */
  readonly question: Pick<Question, 'text' | 'choices'> & { readonly id?: string };
}

/** A question of the agent, and the way to answer it: by a choice, or in words. */
export function QuestionForm({ runId, question }: QuestionFormProps) {
  const { id, text, choices = [] } = question;
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const field = useId();
  const answer = async (words: string) => {
    setSending(true);
    setProblem(
      await sendCommand(runId, { type: 'answer', text: words, ...(id === undefined ? {} : { question: id }) }),
    );
    setSending(false);
  };
  const said = typed.trim();
  const canSend = said !== '' && new TextEncoder().encode(said).length <= MOST_TEXT_BYTES && !isSending;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (canSend) void answer(said);
  };
  return (
    <form className="question" onSubmit={send} aria-label="A question of the agent">
      <label htmlFor={field}>
        The agent asks you{id === undefined ? '' : ` (${id})`}: {shownText(text)}
      </label>
      {choices.length === 0 ? null : (
        <div className="actions" role="group" aria-label="Choices">
          {choices.map((choice) => (
            <button key={choice} type="button" disabled={isSending} onClick={() => void answer(choice)}>
              {shownText(choice)}
            </button>
          ))}
        </div>
      )}
      <textarea id={field} rows={2} value={typed} onChange={({ target }) => setTyped(target.value)} />
      {problem === undefined ? null : (
        <p className="problem-line" role="alert">
          {shownText(problem)}
        </p>
      )}
      <button type="submit" className="primary" disabled={!canSend}>
        Answer
      </button>
    </form>
  );
}
