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
  const limits = state.policy.limits.flatMap((condition) =>
    condition.type === 'max_cost' && condition.model === undefined ? [condition.usd] : [],
  );
  const spent = totalSpend(state.spend).costUsd;
  if (limits.length === 0 || spent === undefined) return undefined;
  const left = Math.min(...limits) - spent;
  return left > 0 ? left : undefined;
}
