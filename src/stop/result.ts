import type { StopCondition } from '../model/condition.js';
import type { StopConditionResult } from '../model/verdict.js';

export function met(condition: StopCondition, reason: string): StopConditionResult {
  return { condition, status: 'met', isMet: true, reason, progress: 1 };
}

export function notMet(condition: StopCondition, reason: string, progress?: number): StopConditionResult {
  return {
    condition,
    status: 'not-met',
    isMet: false,
    reason,
    progress: progress === undefined ? undefined : clamp(progress),
  };
}

export function unknown(condition: StopCondition, reason: string): StopConditionResult {
  return { condition, status: 'unknown', isMet: false, reason, progress: undefined };
}

export function spendUnknown(condition: StopCondition, problem: string): StopConditionResult {
  return { ...unknown(condition, `spend unknown: ${problem}`), spendUnknown: problem };
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
