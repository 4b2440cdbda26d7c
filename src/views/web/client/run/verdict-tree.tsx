import type { ConditionStatus, StopConditionResult } from '../../../../model/verdict.js';
import { describe } from '../../../../stop/describe.js';
import { shownText } from '../text/shown-text.js';

const SIGNS: Readonly<Record<ConditionStatus, string>> = { met: '✓', 'not-met': '·', unknown: '?' };
const WORDS: Readonly<Record<ConditionStatus, string>> = { met: 'met', 'not-met': 'not met', unknown: 'unknown' };

/** What a composite condition is made of, each part with how it stands. */
export function VerdictTree({ parts }: { readonly parts: readonly StopConditionResult[] }) {
  return (
    <ul className="verdict-tree">
      {parts.map(({ condition, status, reason, children }, index) => (
        <li key={`${index} ${condition.type}`} className={`status-${status}`}>
          <span className="sign" role="img" aria-label={WORDS[status]}>
            {SIGNS[status]}
          </span>
          <span>
            {children === undefined ? shownText(describe(condition)) : condition.type}
            {reason === undefined || children !== undefined ? null : <span className="dim">: {shownText(reason)}</span>}
          </span>
          {children === undefined ? null : <VerdictTree parts={children} />}
        </li>
      ))}
    </ul>
  );
}
