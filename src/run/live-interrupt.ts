import type { Interrupt } from '../iteration/interrupt.js';
import { childrenOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { RunState } from '../model/run-state.js';
import { evaluateLive } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

/** Why what goes on now has to end at once; undefined when nothing has to. Whatever does also ends the run. */
export function liveInterrupt(state: RunState): Interrupt | undefined {
  const { stop, class: stopClass, reasons } = evaluateLive(state.policy, factsOf(state));
  if (!stop) return undefined;
  if (stopClass === 'operator' || stopClass === 'failure') return stopClass;
  return reasons.some(({ condition }) => condition !== undefined && isAboutSpend(condition)) ? 'budget' : 'limit';
}

function isAboutSpend(condition: StopCondition): boolean {
  return CONDITION_CATALOG[condition.type].spend === true || childrenOf(condition).some(isAboutSpend);
}
