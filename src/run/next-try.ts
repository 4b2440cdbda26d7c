import { totalSpend } from '../model/spend-account.js';
import type { RunState } from '../model/run-state.js';

/** The next iteration's number. One that was `limited` gave its number back. */
export function nextTry(state: RunState): { readonly number: number; readonly try: number } {
  const number = state.iterations + 1;
  const last = state.recent.at(-1);
  const again = last !== undefined && last.outcome === 'limited' && last.iteration === number;
  return { number, try: again ? last.try + 1 : 1 };
}

/** What the cost limits leave, for agents with a cap of their own. */
export function budgetLeft(state: RunState): number | undefined {
  const limits = state.policy.limits.flatMap((condition) =>
    condition.type === 'max_cost' && condition.model === undefined ? [condition.usd] : [],
  );
  const spent = totalSpend(state.spend).costUsd;
  if (limits.length === 0 || spent === undefined) return undefined;
  const left = Math.min(...limits) - spent;
  return left > 0 ? left : undefined;
}
