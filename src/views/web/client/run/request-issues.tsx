import type { RequestProblem } from '../live/request.js';
import { shownText } from '../text/shown-text.js';

/** What is wrong with what was sent, and where. */
export function RequestIssues({ problem }: { readonly problem: RequestProblem }) {
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
