import { memo, useMemo } from 'react';
import { hasEnded } from '../../../../model/phase.js';
import type { RunState } from '../../../../model/run-state.js';
import { stateAt } from '../../../../words/state-at.js';
import { Panel } from '../parts/panel.js';
import { isHeld } from './is-held.js';
import { standingsOf, type Standing } from './standings.js';
import { CONDITION_WORDS } from '../../../../model/outcome.js';
import { Meter } from '../parts/meter.js';
import { groupedMoney } from '../text/figures.js';
import { shownText } from '../text/shown-text.js';
import type { ConditionStatus, StopConditionResult } from '../../../../model/verdict.js';
import { describe } from '../../../../stop/judge.js';

interface ConditionsPanelProps {
  readonly state: RunState;
  /** Undefined when time does not continue. */
  readonly nowMs: number | undefined;
}

/** How far each condition is from stopping the run. */
export const ConditionsPanel = memo(function ConditionsPanel({ state, nowMs }: ConditionsPanelProps) {
  const standings = useMemo(() => {
    const goesOn = nowMs !== undefined && !hasEnded(state);
    if (!goesOn) return standingsOf(state, undefined);
    return standingsOf(stateAt(state, nowMs), isHeld(state) ? undefined : nowMs);
  }, [state, nowMs]);
  return (
    <Panel title="When it stops">
      {standings.length === 0 ? <p className="nothing">It has no stop conditions.</p> : null}
      <ul className="standings">
        {standings.map((standing) => (
          <ConditionStanding key={standing.path} standing={standing} />
        ))}
      </ul>
    </Panel>
  );
});

/** One condition: when it stops the run, and how far that is. */
function ConditionStanding({ standing }: { readonly standing: Standing }) {
  const { class: stopClass, status, progress, sentence, says, expected, parts } = standing;
  const said = shownText(groupedMoney(sentence));
  return (
    <li className={`standing status-${status}`}>
      <div className="standing-head">
        <span className={`class-name kind-${stopClass}`}>{CONDITION_WORDS[stopClass]}</span>
        <span className="says">{shownText(says)}</span>
        {status === 'met' ? <span className={`met kind-${stopClass}`}>met</span> : null}
        {status === 'unknown' ? <span className="dim">unknown</span> : null}
      </div>
      {progress === undefined && status !== 'unknown' ? null : (
        <Meter label={shownText(says)} progress={progress} kind={stopClass} isMet={status === 'met'} />
      )}
      <p className="sentence">
        {said}
        <span className="dim">{shownText(expected)}</span>
      </p>
      {parts.length === 0 ? null : <VerdictTree parts={parts} />}
    </li>
  );
}

const SIGNS: Readonly<Record<ConditionStatus, string>> = { met: '✓', 'not-met': '·', unknown: '?' };
const WORDS: Readonly<Record<ConditionStatus, string>> = { met: 'met', 'not-met': 'not met', unknown: 'unknown' };

/** What a composite condition is made of, each part with how it stands. */
function VerdictTree({ parts }: { readonly parts: readonly StopConditionResult[] }) {
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
