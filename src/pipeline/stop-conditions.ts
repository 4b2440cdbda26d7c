import type { StopCondition } from '../model/condition.js';
import { defaultOf } from '../config/shape.js';
import { STOP_CONDITION_KEYS } from './manifest/manifest-shape.js';

/** Story 4.4's thresholds, as a manifest has them under `retry.stop_conditions`. */
export interface StopConditions {
  readonly max_retry_rate: number;
  readonly max_reject_rate: number;
  readonly max_consecutive_fails: number;
  /** Rates count from this many finished items on. */
  readonly min_items: number;
}

export const DEFAULT_STOP_CONDITIONS: StopConditions = Object.freeze({
  max_retry_rate: defaultOf(STOP_CONDITION_KEYS.max_retry_rate),
  max_reject_rate: defaultOf(STOP_CONDITION_KEYS.max_reject_rate),
  max_consecutive_fails: defaultOf(STOP_CONDITION_KEYS.max_consecutive_fails),
  min_items: defaultOf(STOP_CONDITION_KEYS.min_items),
});

const FEWEST_ATTEMPTS = 50;

/** A flat 50 would halt every large batch. */
export function usualBreaker(items: number): number {
  return Math.max(FEWEST_ATTEMPTS, 2 * items);
}

/** The conditions that halt a pipeline, in Story 4.4's order. */
export function haltingConditions(
  { max_retry_rate, max_reject_rate, max_consecutive_fails, min_items }: StopConditions,
  attempts: number,
): readonly StopCondition[] {
  return [
    { type: 'circuit_breaker', attempts },
    { type: 'consecutive_fails', count: max_consecutive_fails },
    { type: 'reject_rate', max: max_reject_rate, min_items },
    { type: 'retry_rate', max: max_retry_rate, min_items },
  ];
}
