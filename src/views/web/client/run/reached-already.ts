import type { StopCondition } from '../../../../model/condition.js';
import type { RunState } from '../../../../model/run-state.js';
import { factsOf } from '../../../../stop/facts.js';
import { judge } from '../../../../stop/judge.js';
import { stateAt } from '../../../terminal/state-at.js';

/** How a limit is reached that somebody is about to set: `5 of 3 iterations`. Undefined when it is not. */
export function reachedAlready(limit: StopCondition, state: RunState, nowMs: number): string | undefined {
  const { status, reason } = judge(limit, factsOf(stateAt(state, nowMs)));
  return status === 'met' ? (reason ?? 'met') : undefined;
}
