import type { StopCondition } from '../model/condition.js';

/** How much is borne of each before a run that says nothing about it is given up; `pawl init` writes the same. */
export const DEFAULT_PATIENCE = Object.freeze({
  no_progress: 5,
  test_failure_streak: 5,
  consecutive_failures: 3,
  permission_denied: 6,
});

/** What stops a run that says nothing about it. */
export const DEFAULT_FAILURE: readonly StopCondition[] = Object.freeze([
  Object.freeze({ type: 'no_progress', iterations: DEFAULT_PATIENCE.no_progress }),
  Object.freeze({ type: 'test_failure_streak', count: DEFAULT_PATIENCE.test_failure_streak }),
  Object.freeze({ type: 'consecutive_failures', count: DEFAULT_PATIENCE.consecutive_failures }),
  Object.freeze({ type: 'permission_denied', count: DEFAULT_PATIENCE.permission_denied }),
]);

export const DEFAULT_GOAL: StopCondition = Object.freeze({ type: 'all_tests_pass' });
