import { CONDITION_CATALOG, limitOf, needsOf } from '../model/condition-catalog.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { formatDuration } from '../model/duration.js';
import type { Limit } from '../model/judging/quantity.js';
import { endOf } from '../model/phase.js';
import { dayLimitUsd } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import { isSilent, knownCostUsd, totalSpend, unpricedModels } from '../model/spend-account.js';
import type { StopClass } from '../model/stop-class.js';

/** The flag that raises a limit so far that the run can continue for as long again; nothing for what no flag raises. */
export function raisedFlag(condition: StopCondition, state: RunState, nowMs: number): string | undefined {
  const { type, flag, limit, spend, zeroIsNone } = CONDITION_CATALOG[condition.type];
  if (limit === undefined) return undefined;
  // A higher limit would be met again after the next iteration that reports nothing.
  const isPointless = isSilent(state.spend) && spend === true && zeroIsNone === true;
  const value = isPointless ? 0 : raisedValue(limit(condition), state, nowMs);
  if (value === undefined) return undefined;
  return flag === undefined ? `--limit '${type}: ${value}'` : `--${flag.name} ${value}`;
}

function raisedValue({ quantity, amount }: Limit, state: RunState, nowMs: number): string | number | undefined {
  const spent = totalSpend(state.spend);
  switch (quantity) {
    case 'iterations':
      return raised(amount, state.iterations);
    case 'attempts':
      return raised(amount, state.pipeline?.attempts);
    case 'costUsd':
      return roundUp(raised(amount, spent.costUsd ?? knownCostUsd(state.spend)));
    case 'totalTokens':
    case 'inputTokens':
    case 'outputTokens':
      return roundUp(raised(amount, spent[quantity]));
    case 'activeMs': {
      if (Number.isNaN(amount)) return undefined;
      const text = formatDuration(roundUpDuration(raised(amount, state.activeMs)), { exact: true });
      return text.replaceAll(' ', '');
    }
    case 'atMs':
      return laterDeadline(amount, state, nowMs);
    case 'dayCostUsd':
      // Set again, it accepts what this run does not know; how high it is is the user's own setting.
      return state.spend.unknownIterations > 0 ? (dayLimitUsd(state.policy) ?? amount) : undefined;
    case 'batchCostUsd':
      return undefined;
    default:
      return quantity satisfies never;
  }
}

const SHORTEST_MS = 600_000;

/** From now on as long as the run had, to the minute: `2026-11-20T14:30Z`. */
function laterDeadline(deadlineMs: number, { startedAt }: RunState, nowMs: number): string {
  const hadMs = deadlineMs - Date.parse(startedAt ?? '');
  const atMs = roundUpTo(60_000, nowMs + Math.max(SHORTEST_MS, hadMs || 0));
  return new Date(atMs).toISOString().replace(/:00\.000Z$/, 'Z');
}

/** As much again as the limit allowed, counted from what was reached: a limit may have been overshot. */
function raised(limit: number, reached = 0): number {
  return Math.max(limit * 2, reached + limit);
}

/** The next number of two digits: 4, 0.65, 440000. */
function roundUp(value: number): number {
  const digits = Math.floor(Math.log10(value)) - 1;
  const step = 10 ** Math.abs(digits);
  // Sums of cents are not exact: a hair above a round number is that number.
  const rounded = digits < 0 ? Math.ceil(value * step - 1e-6) / step : Math.ceil(value / step - 1e-6) * step;
  return Number.isFinite(rounded) ? rounded : value;
}

const STEPS_MS = [
  { upToMs: 1000, stepMs: 100 },
  { upToMs: 60_000, stepMs: 1000 },
  { upToMs: 600_000, stepMs: 10_000 },
  { upToMs: 7_200_000, stepMs: 60_000 },
  { upToMs: Number.POSITIVE_INFINITY, stepMs: 600_000 },
];

function roundUpDuration(ms: number): number {
  const stepMs = STEPS_MS.find(({ upToMs }) => ms <= upToMs)?.stepMs ?? 1;
  return roundUpTo(stepMs, ms);
}

function roundUpTo(stepMs: number, ms: number): number {
  return Math.ceil(ms / stepMs) * stepMs;
}

/** What a resume needs from a person: an answer to the agent, or another way after it gave up. */
export function steerFlag(state: RunState): readonly string[] {
  const { question } = state;
  const ended = endOf(state);
  const isBlocked =
    ended?.reasons.some(
      ({ condition, class: stopClass }) => isShownAsBlocked(condition) || asksPerson(condition, stopClass),
    ) === true;
  if (isBlocked || question !== undefined) return ["--steer '<your answer>'"];
  return ended?.class === 'failure' || ended?.class === 'veto' ? ["--steer '<what to do differently>'"] : [];
}

/** The review has a question. */
function asksPerson(condition: StopCondition | undefined, stopClass: StopClass): boolean {
  return condition !== undefined && stopClass === 'blocked' && needsOf(condition).review === 'opinion';
}

function isShownAsBlocked(condition: StopCondition | undefined): boolean {
  return condition !== undefined && CONDITION_CATALOG[condition.type].shownClass === 'blocked';
}

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
