import type { EventOf } from './run-event.js';
import { beginIteration, endIteration, reportSpend, settle } from './report-spend.js';
import type { RunState } from './run-state.js';
import { EMPTY_ACCOUNT, modelName, type SpendAccount, totalSpend, unpricedModels } from './spend-account.js';
import { addSpend, type Spend } from './usage.js';

/** The name of the spend account of an attempt. Its audit has its own: one may report its spend, and the other not. */
export function laneOf(index: number, isAudit = false): string {
  return isAudit ? `${index}.audit` : String(index);
}

/** Reviews have their books apart from the work, for the whole run. */
export const REVIEW_LANE = 'review';

/** What all reviews have spent; undefined when there was none. */
export function reviewSpend({ lanes }: SpendAccount): Spend | undefined {
  const lane = lanes?.[REVIEW_LANE];
  return lane && totalSpend(lane);
}

/** A review is a process of its own. */
export function beginReviewLane(account: SpendAccount): SpendAccount {
  const lane = account.lanes?.[REVIEW_LANE];
  return lane === undefined
    ? account
    : { ...account, lanes: { ...account.lanes, [REVIEW_LANE]: beginIteration(lane) } };
}

/** A review has ended. A call of it that was cut off is charged like the dearest review, or else like the dearest iteration. */
export function endReviewLane(account: SpendAccount): SpendAccount {
  const lane = account.lanes?.[REVIEW_LANE];
  if (lane === undefined) return account;
  const ended = endIteration({ ...lane, dearest: lane.dearest ?? account.dearest }, { agentStarted: false });
  return { ...account, lanes: { ...account.lanes, [REVIEW_LANE]: ended } };
}

/** While a review is under way, what it uses may have no price yet: some agents report what a turn cost only at its end. */
export function pricedSoFar<State extends Pick<RunState, 'review' | 'spend'>>(state: State): State {
  const { lanes = {} } = state.spend;
  const lane = lanes[REVIEW_LANE];
  if (state.review?.open === undefined || lane === undefined) return state;
  const models = Object.entries(lane.models).filter(([name]) => !unpricedModels(lane).includes(name));
  const priced = { ...lane, models: Object.fromEntries(models) };
  return { ...state, spend: { ...state.spend, lanes: { ...lanes, [REVIEW_LANE]: priced } } };
}

/** The spend that one of several attempts, which run side by side, reports. */
export function reportInLane(account: SpendAccount, lane: string, report: EventOf<'usage-reported'>): SpendAccount {
  const own = reportSpend(account.lanes?.[lane] ?? EMPTY_ACCOUNT, report);
  return { ...account, lanes: { ...account.lanes, [lane]: own }, notional: account.notional || own.notional };
}

/** Settles the spend of an attempt. One that spent but reported nothing is charged like the dearest so far. */
export function endLane(account: SpendAccount, lane: string, agentStarted: boolean): SpendAccount {
  const { [lane]: open, ...lanes } = account.lanes ?? {};
  const own = endIteration({ ...(open ?? EMPTY_ACCOUNT), dearest: account.dearest }, { agentStarted });
  const base: SpendAccount = {
    ...account,
    estimated: addSpend(account.estimated, own.estimated),
    estimatedIterations: account.estimatedIterations + own.estimatedIterations,
    unknownIterations: account.unknownIterations + own.unknownIterations,
    dearest: own.dearest,
    lanes,
  };
  return Object.entries(own.models).reduce(
    (next, [name, { settled }]) => settle(next, modelName(next, name), settled),
    base,
  );
}

/** The same for the audit of an attempt. Most spend nothing: only one that says so has an unknown spend. */
export function endAuditLane(account: SpendAccount, index: number, isUnknown: boolean): SpendAccount {
  const lane = laneOf(index, true);
  const ended = account.lanes?.[lane] === undefined ? account : endLane(account, lane, false);
  return isUnknown ? endLane(ended, lane, true) : ended;
}
