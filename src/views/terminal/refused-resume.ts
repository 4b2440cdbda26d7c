import { leavesOf, type StopCondition } from '../../model/condition.js';
import { limitOf } from '../../model/condition-catalog.js';
import { endOf } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import type { StopClass } from '../../model/stop-class.js';
import { isSilent, unpricedModels } from '../../model/spend-account.js';

export function isDayLimit(condition: StopCondition): boolean {
  return limitOf(condition)?.quantity === 'dayCostUsd';
}

/** A limit over all runs of a day is not for one run to remove. */
export function isSilentForDay(state: RunState): boolean {
  return isSilent(state.spend) && endedBy(state, 'blocked', isDayLimit);
}

/** A limit on cost cannot be held any more: what was used at no known price stays so in the record. */
export function isWithoutPrice(state: RunState): boolean {
  const isBlocked = endedBy(state, 'blocked', (leaf) => isDayLimit(leaf) || limitOf(leaf)?.quantity === 'costUsd');
  return isBlocked && unpricedModels(state.spend).length > 0;
}

export function endedBy(state: RunState, stopClass: StopClass, isMeant: (leaf: StopCondition) => boolean): boolean {
  return (endOf(state)?.reasons ?? []).some(
    (reason) =>
      reason.class === stopClass && reason.condition !== undefined && leavesOf(reason.condition).some(isMeant),
  );
}
