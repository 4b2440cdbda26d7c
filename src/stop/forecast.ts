import type { StopCondition } from '../model/condition.js';
import { limitOf } from '../model/condition-catalog.js';
import type { Limit } from '../model/judging/quantity.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import type { Spend } from '../model/usage.js';
import { isRefusal } from '../model/wait-policy.js';

/** When a limit will be reached if the run continues as it has. */
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
  readonly nowMs: number;
  readonly iterationMs: number;
  /** NaN when it is not known. */
  readonly perIteration: (field: keyof Spend) => number;
}

/** For each limit, by the median of the last five iterations; nothing before there are two. */
export function forecast(policy: Policy, state: RunState): readonly Forecast[] {
  const pace = paceOf(state);
  if (pace === undefined) return [];
  return policyEntries(policy)
    .filter((entry) => entry.class === 'limit')
    .flatMap(({ path, condition }) => {
      const left = iterationsLeft(condition, pace);
      const inMs = Math.max(0, left) * pace.iterationMs;
      const iteration = state.iterations + Math.max(0, Math.ceil(left - 1e-9));
      const at = new Date(pace.nowMs + inMs);
      // What is not known, or farther away than any date.
      return Number.isNaN(at.getTime()) ? [] : [{ path, iteration, inMs: Math.round(inMs), at: at.toISOString() }];
    });
}

function paceOf(state: RunState): Pace | undefined {
  const ended = state.recent.filter(({ outcome }) => !isRefusal(outcome)).slice(-SAMPLE);
  if (ended.length < LEAST) return undefined;
  return {
    state,
    spend: totalSpend(state.spend),
    nowMs: Date.parse(state.at ?? ''),
    iterationMs: median(lengths(ended)),
    perIteration: (field) => {
      const values = ended.map((iteration) => iteration.spend[field]).filter((value) => value !== undefined);
      return values.length < LEAST ? Number.NaN : median(values);
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

/** How many more iterations, in fractions, until the condition is met at this pace; NaN when it is not known. */
function iterationsLeft(condition: StopCondition, pace: Pace): number {
  if (condition.type === 'any' || condition.type === 'all') {
    const parts = condition.conditions.map((part) => iterationsLeft(part, pace));
    if (condition.type === 'all') return Math.max(...parts);
    return Math.min(...parts.filter((part) => !Number.isNaN(part)));
  }
  const limit = limitOf(condition);
  return limit === undefined ? Number.NaN : leftOf(limit, pace);
}

function leftOf({ quantity, amount }: Limit, { state, spend, nowMs, iterationMs, perIteration }: Pace): number {
  switch (quantity) {
    case 'iterations':
      return amount - state.iterations;
    case 'activeMs':
      return over(amount - state.activeMs, iterationMs);
    case 'atMs':
      return over(amount - nowMs, iterationMs);
    case 'totalTokens':
    case 'inputTokens':
    case 'outputTokens':
    case 'costUsd':
      return over(amount - (spend[quantity] ?? Number.NaN), perIteration(quantity));
    case 'attempts':
    case 'dayCostUsd':
    case 'batchCostUsd':
      return Number.NaN;
    default:
      return quantity satisfies never;
  }
}

/** `rest / rate`; what is used up needs nothing more, and at no rate it is never reached. */
function over(rest: number, rate: number): number {
  return rest <= 0 && !Number.isNaN(rate) ? 0 : rest / Math.max(0, rate);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
