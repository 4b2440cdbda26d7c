import type { StopCondition } from '../model/condition.js';
import { limitOf } from '../model/condition-catalog.js';
import type { Quantity } from '../model/judging/quantity.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import type { Spend } from '../model/usage.js';
import { isRefusal } from '../model/wait-policy.js';

/** When a limit will be reached if the run goes on as it has. */
export interface Forecast {
  readonly path: string;
  /** The iteration in which it will be reached. */
  readonly iteration: number;
  /** Active time from now. */
  readonly inMs: number;
  /** Wall time, if nothing pauses the run. */
  readonly at: string;
}

const SAMPLE = 5;
const LEAST = 2;

interface Pace {
  readonly state: RunState;
  readonly spend: Spend;
  readonly iterationMs: number;
  readonly perIteration: (field: keyof Spend) => number | undefined;
}

/** For each limit, by the median of the last five iterations; nothing before there are two. */
export function forecast(policy: Policy, state: RunState): readonly Forecast[] {
  const pace = paceOf(state);
  if (pace === undefined || state.at === undefined) return [];
  const nowMs = Date.parse(state.at);
  return policyEntries(policy)
    .filter((entry) => entry.class === 'limit')
    .flatMap(({ path, condition }) => {
      const left = iterationsLeft(condition, pace);
      if (left === undefined || !Number.isFinite(left)) return [];
      const inMs = Math.max(0, left) * pace.iterationMs;
      const iteration = state.iterations + Math.max(0, Math.ceil(left - 1e-9));
      const at = new Date(nowMs + inMs);
      return Number.isNaN(at.getTime()) ? [] : [{ path, iteration, inMs: Math.round(inMs), at: at.toISOString() }];
    });
}

function paceOf(state: RunState): Pace | undefined {
  const ended = state.recent.filter(({ outcome }) => !isRefusal(outcome)).slice(-SAMPLE);
  if (ended.length < LEAST) return undefined;
  return {
    state,
    spend: totalSpend(state.spend),
    iterationMs: median(lengths(ended)),
    perIteration: (field) => {
      const values = ended.map((iteration) => iteration.spend[field]).filter((value) => value !== undefined);
      return values.length < LEAST ? undefined : median(values);
    },
  };
}

/** From end to end, so that delays and observers are in it; the first of the sample has only its own length. */
function lengths(ended: readonly IterationSummary[]): readonly number[] {
  return ended.map((iteration, index) => {
    const before = ended[index - 1];
    return before === undefined ? iteration.durationMs : iteration.activeMs - before.activeMs;
  });
}

/** How many more iterations, in fractions, until the condition is met at this pace; undefined when it is not known. */
function iterationsLeft(condition: StopCondition, pace: Pace): number | undefined {
  if (condition.type === 'any' || condition.type === 'all') {
    const parts = condition.conditions.map((part) => iterationsLeft(part, pace));
    const known = parts.filter((part) => part !== undefined);
    if (condition.type === 'any') return known.length === 0 ? undefined : Math.min(...known);
    return known.length < parts.length ? undefined : Math.max(...known);
  }
  const { quantity, amount } = limitOf(condition) ?? {};
  return quantity === undefined || amount === undefined ? undefined : leftOf(quantity, amount, pace);
}

function leftOf(quantity: Quantity, amount: number, pace: Pace): number | undefined {
  const { state, spend, iterationMs } = pace;
  switch (quantity) {
    case 'iterations':
      return amount - state.iterations;
    case 'activeMs':
      return over(amount - state.activeMs, iterationMs);
    case 'atMs':
      return over(amount - Date.parse(state.at ?? ''), iterationMs);
    case 'totalTokens':
    case 'inputTokens':
    case 'outputTokens':
    case 'costUsd':
      return spendLeft(amount, spend[quantity], pace.perIteration(quantity));
    case 'attempts':
    case 'dayCostUsd':
    case 'batchCostUsd':
      return undefined;
    default:
      return quantity satisfies never;
  }
}

function spendLeft(limit: number, spent: number | undefined, rate: number | undefined): number | undefined {
  return spent === undefined || rate === undefined ? undefined : over(limit - spent, rate);
}

/** `rest / rate`; what is used up needs nothing more, and at no rate it is never reached. */
function over(rest: number, rate: number): number | undefined {
  if (Number.isNaN(rest)) return undefined;
  if (rest <= 0) return 0;
  return rate > 0 ? rest / rate : undefined;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
