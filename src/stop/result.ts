import type { StopCondition } from '../model/condition.js';
import type { ConditionStatus, Hold, StopConditionResult } from '../model/verdict.js';

/** What a composite adds to its judgement. */
export interface Inside {
  readonly children?: readonly StopConditionResult[] | undefined;
  readonly spendUnknown?: string | undefined;
  readonly hold?: Hold | undefined;
}

const LEAF: Inside = Object.freeze({});

/** Every result has the same fields in the same order: the decision makes hundreds of them at every boundary. */
function result(
  condition: StopCondition,
  status: ConditionStatus,
  reason: string,
  progress: number | undefined,
  { children, spendUnknown: problem, hold }: Inside,
): StopConditionResult {
  return { condition, status, isMet: status === 'met', reason, progress, spendUnknown: problem, hold, children };
}

export function met(condition: StopCondition, reason: string, inside = LEAF): StopConditionResult {
  return result(condition, 'met', reason, 1, inside);
}

export function notMet(
  condition: StopCondition,
  reason: string,
  progress?: number,
  inside = LEAF,
): StopConditionResult {
  return result(condition, 'not-met', reason, progress === undefined ? undefined : clamp(progress), inside);
}

export function unknown(
  condition: StopCondition,
  reason: string,
  progress?: number,
  inside = LEAF,
): StopConditionResult {
  return result(condition, 'unknown', reason, progress, inside);
}

export function spendUnknown(condition: StopCondition, problem: string): StopConditionResult {
  return unknown(condition, `spend unknown: ${problem}`, undefined, { spendUnknown: problem });
}

/** Met when `value` has reached `limit`. */
export function reached(
  condition: StopCondition,
  value: number | undefined,
  limit: number,
  sentence: (value: number) => string,
): StopConditionResult {
  if (value === undefined || Number.isNaN(value)) return unknown(condition, 'not known');
  return value >= limit ? met(condition, sentence(value)) : notMet(condition, sentence(value), value / limit);
}

function clamp(progress: number): number {
  return Math.min(1, Math.max(0, progress));
}
