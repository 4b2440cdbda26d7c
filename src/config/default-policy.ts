import type { StopCondition } from '../model/condition.js';

/** What stops a run that says nothing about it. */
export const DEFAULT_FAILURE: readonly StopCondition[] = Object.freeze([
  Object.freeze({ type: 'no_progress', iterations: 5 }),
  Object.freeze({ type: 'test_failure_streak', count: 3 }),
  Object.freeze({ type: 'consecutive_failures', count: 3 }),
]);

export const DEFAULT_GOAL: StopCondition = Object.freeze({ type: 'all_tests_pass' });
