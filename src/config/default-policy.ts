import { CONFIG_KEYS } from './config-shape.js';
import { defaultOf } from './shape.js';
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

/** The limit of a run that says nothing about it. Where it may be written, its 0 means that the run has none. */
export const DEFAULT_LIMIT = { type: 'max_iterations', count: defaultOf(CONFIG_KEYS.max_iterations) } as const;

/** The same with a review: its agreement is the second half. */
export const REVIEWED_GOAL: StopCondition = parseCondition({ all: ['all_tests_pass', 'review_approves'] });

export const REVIEW_ALONE: StopCondition = parseCondition('review_approves');

/** What a review can end, besides its agreement to a goal. */
export const REVIEW_BLOCKED: StopCondition = parseCondition({ review_says: 'blocked' });

/** Of work whose checks pass, a review is not asked whether it is stuck. */
export const REVIEW_STUCK: StopCondition = parseCondition({ review_says: 'stuck' });

/** Repair what is red at the start; after a green start, build until the agent says that it is done. */
export const DEFAULT_GOAL: StopCondition = parseCondition({
  all: ['all_tests_pass', { settled: { only_after_green_start: true } }],
});
