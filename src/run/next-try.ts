import { needsOf } from '../model/condition-catalog.js';
import { lowestLimit } from '../model/policy.js';
import { totalSpend } from '../model/spend-account.js';
import type { RunState } from '../model/run-state.js';

/** The next iteration's number. One that was `limited`, or whose agent was never started, gave its number back. */
export function nextTry(state: RunState): { readonly number: number; readonly try: number } {
  const number = state.iterations + 1;
  const before = [state.recent.at(-1), state.unstarted].filter((tried) => tried?.iteration === number);
  return { number, try: Math.max(0, ...before.map((tried) => tried?.try ?? 0)) + 1 };
}

/** What the cost limits leave, for agents with a cap of their own. */
export function budgetLeft(state: RunState): number | undefined {
  const ownPrices = state.policy.limits.filter((condition) => needsOf(condition).priceOf === undefined);
  const limit = lowestLimit(ownPrices, 'costUsd');
  const spent = totalSpend(state.spend).costUsd;
  if (limit === undefined || spent === undefined) return undefined;
  const left = limit - spent;
  return left > 0 ? left : undefined;
}
