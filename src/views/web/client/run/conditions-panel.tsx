import { memo, useMemo } from 'react';
import { hasEnded } from '../../../../model/phase.js';
import type { RunState } from '../../../../model/run-state.js';
import { stateAt } from '../../../terminal/state-at.js';
import { Panel } from '../parts/panel.js';
import { ConditionStanding } from './condition-standing.js';
import { isHeld } from './is-held.js';
import { standingsOf } from './standings.js';

interface ConditionsPanelProps {
  readonly state: RunState;
  /** Undefined when time does not go on. */
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
      {standings.length === 0 ? <p className="nothing">It has no condition that would stop it.</p> : null}
      <ul className="standings">
        {standings.map((standing) => (
          <ConditionStanding key={standing.path} standing={standing} />
        ))}
      </ul>
    </Panel>
  );
});
