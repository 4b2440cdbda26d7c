import type { StopCondition } from '../model/condition.js';
import { parseCondition } from '../model/parse-condition.js';

/** How much of each ends a run that says nothing about it; `pawl init` writes the same. */
export const DEFAULT_PATIENCE = Object.freeze({
  no_progress: 5,
  test_failure_streak: 5,
  consecutive_failures: 3,
  permission_denied: 6,
  oscillation: 3,
  same_tool_failure: 5,
  false_done: 3,
  needs_person: 2,
});

/** What stops a run that says nothing about it. */
export const DEFAULT_FAILURE: readonly StopCondition[] = Object.freeze(
  Object.entries(DEFAULT_PATIENCE).map(([type, count]) => parseCondition({ [type]: count })),
);

/** Repair what is red at the start; after a green start, build until the agent says that it is done. */
export const DEFAULT_GOAL: StopCondition = parseCondition({
  all: ['all_tests_pass', { settled: { only_after_green_start: true } }],
});
