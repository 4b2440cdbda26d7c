import type { Interrupt } from '../iteration/interrupt.js';
import type { RunState } from '../model/run-state.js';
import { evaluateLive } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

/** Why what goes on now has to end at once; undefined when nothing has to. Whatever does also ends the run. */
export function liveInterrupt(state: RunState): Interrupt | undefined {
  const { stop, class: stopClass } = evaluateLive(state.policy, factsOf(state));
  if (!stop) return undefined;
  return stopClass === 'operator' || stopClass === 'failure' ? stopClass : 'limit';
}
