import { CONDITION_CATALOG, isSharedLimit, limitOf } from './condition-catalog.js';
import { withLimit } from './policy.js';
import type { EventOf } from './run-event.js';
import type { Reducers } from './reducers.js';
import type { RunState } from './run-state.js';
import { acceptUnknown, totalSpend } from './spend-account.js';

/** What may be spent, by this run alone or together with others. */
export const BUDGET_REDUCERS = {
  'day-spend-seen': daySpendSeen,
  'batch-spend-seen': (state, { batch, othersUsd, dearestUsd, problem }) => ({
    ...state,
    batch: { batch, othersUsd, dearestUsd, problem },
  }),
  'limit-extended': limitExtended,
} satisfies Partial<Reducers>;

/** A run that continues on another day begins it with nothing spent. */
function daySpendSeen(state: RunState, { day, othersUsd, problem }: EventOf<'day-spend-seen'>): RunState {
  const before = state.day === undefined ? 0 : totalSpend(state.spend).costUsd;
  const ownBeforeUsd = state.day?.day === day ? state.day.ownBeforeUsd : before;
  return { ...state, day: { day, othersUsd, problem, ownBeforeUsd } };
}

function limitExtended(state: RunState, { limit }: EventOf<'limit-extended'>): RunState {
  const policy = withLimit(state.policy, limit);
  // What all runs share is accepted by who sets that very limit, not by the way.
  const isShared = [...policy.limits, ...(policy.conditions ?? [])].some(isSharedLimit);
  const isBudget = !isShared && CONDITION_CATALOG[limit.type].spend === true;
  const accepts = isBudget || limitOf(limit)?.quantity === 'dayCostUsd';
  return { ...state, policy, spend: accepts ? acceptUnknown(state.spend) : state.spend };
}

/** What a run has spent on a day; undefined when it is unknown. */
export function ownDaySpend({ day: known, spend }: RunState, day: string): number | undefined {
  const total = totalSpend(spend).costUsd;
  const before = known?.day === day ? known.ownBeforeUsd : known === undefined ? 0 : total;
  return total === undefined || before === undefined ? undefined : Math.max(0, total - before);
}
