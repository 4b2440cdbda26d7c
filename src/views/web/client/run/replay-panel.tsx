import { type FormEvent, memo, useId, useState } from 'react';
import type { ReplayAnswer, ReplayRequest } from '../../wire/api.js';
import { problemFrom, request, type RequestProblem } from '../live/request.js';
import { Panel } from '../parts/panel.js';
import { ReplayOutcome } from './replay-outcome.js';
import { shownText } from '../text/shown-text.js';

interface ReplayPanelProps {
  readonly runId: string;
  readonly policyText: string;
  readonly isPipeline: boolean;
  readonly onAnswer: (answer: ReplayAnswer | undefined) => void;
}

interface Tried {
  readonly answer?: ReplayAnswer | undefined;
  readonly problem?: RequestProblem | undefined;
}

/** The policy, and what another one would have done with the same record. */
export const ReplayPanel = memo(function ReplayPanel({ runId, policyText, isPipeline, onAnswer }: ReplayPanelProps) {
  const [typed, setTyped] = useState<string>();
  const [tried, setTried] = useState<Tried>({});
  const [isTrying, setTrying] = useState(false);
  const id = useId();
  const policy = typed ?? policyText;
  const show = (next: Tried) => {
    setTried(next);
    onAnswer(next.answer);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTrying(true);
    const path = `/api/runs/${encodeURIComponent(runId)}/replay`;
    const asked: ReplayRequest = { policy };
    const next = await request<ReplayAnswer>(path, asked).then(
      (answer): Tried => ({ answer }),
      (thrown: unknown): Tried => ({ problem: problemFrom(thrown) }),
    );
    setTrying(false);
    show(next);
  };
  const reset = () => {
    setTyped(undefined);
    show({});
  };
  return (
    <Panel title="Policy">
      <form className="replay" onSubmit={(event) => void submit(event)}>
        <label htmlFor={id}>
          Change it, and see where this record would have stopped. The run itself is not touched.
        </label>
        <textarea
          id={id}
          className="mono"
          rows={Math.min(18, Math.max(6, policy.split('\n').length))}
          spellCheck={false}
          value={policy}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div className="replay-actions">
          <button type="submit" className="primary" disabled={isTrying}>
            Try this policy
          </button>
          {typed === undefined && tried.answer === undefined && tried.problem === undefined ? null : (
            <button type="button" onClick={reset}>
              Reset
            </button>
          )}
        </div>
        <div role="status">
          {tried.problem === undefined ? null : <RequestIssues problem={tried.problem} />}
          {tried.answer === undefined ? null : <ReplayOutcome answer={tried.answer} isPipeline={isPipeline} />}
        </div>
      </form>
    </Panel>
  );
});

/** What is wrong with what was sent, and where. */
function RequestIssues({ problem }: { readonly problem: RequestProblem }) {
  const { message, issues } = problem;
  return (
    <div className="issues">
      {issues.length === 0 || !issues.some((issue) => message.includes(issue.message)) ? (
        <p>{shownText(message)}</p>
      ) : null}
      {issues.map((issue) => (
        <p key={`${issue.place} ${issue.message}`}>
          {issue.place === undefined ? null : <span className="mono">{shownText(issue.place)} </span>}
          {shownText(issue.message)}
        </p>
      ))}
    </div>
  );
}
