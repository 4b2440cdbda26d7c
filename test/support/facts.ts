import type { StopCondition } from '../../src/model/condition.js';
import { parseCondition } from '../../src/model/parse-condition.js';
import type { StopConditionResult } from '../../src/model/verdict.js';
import type { Facts } from '../../src/model/judging/facts.js';
import { judge } from '../../src/stop/judge.js';

export const facts = (more: Partial<Facts> = {}): Facts => ({ spend: {}, streaks: {}, ...more });

/** Judges a condition in shorthand. */
export const judged = (input: unknown, more: Partial<Facts> = {}): StopConditionResult =>
  judge(parseCondition(input), facts(more));

/** `met 1 "3 of 3 iterations"`: status, progress and sentence in one line. */
export function line(input: unknown, more: Partial<Facts> = {}): string {
  const { status, progress, reason } = judged(input, more);
  return `${status}${progress === undefined ? '' : ` ${Math.round(progress * 100) / 100}`}: ${reason}`;
}

export const condition = (input: unknown): StopCondition => parseCondition(input);
