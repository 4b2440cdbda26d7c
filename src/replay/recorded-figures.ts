import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import { failingTests, type TestResults } from '../model/test-results.js';

/** How far a run was at some event of its record. What is absent is not known. */
export interface RecordedFigures {
  /** Iterations used up; of a pipeline its attempts. */
  readonly iterations: number;
  readonly costUsd?: number | undefined;
  readonly activeMs: number;
  readonly testsPassed?: number | undefined;
  readonly testsFailed?: number | undefined;
  /** Pipeline: items with a final status, and those of them that were approved. */
  readonly itemsEnded?: number | undefined;
  readonly itemsApproved?: number | undefined;
}

/** The tests that were seen last: those of an iteration under way have not been run yet. */
export function testsSeen(before: TestResults | undefined, event: RunEvent): TestResults | undefined {
  const isLook = event.type === 'iteration-ended' || event.type === 'baseline-observed';
  return isLook ? (event.observation.tests ?? before) : before;
}

export function figuresOf(state: RunState, tests: TestResults | undefined): RecordedFigures {
  const { pipeline } = state;
  return {
    iterations: state.iterations,
    costUsd: totalSpend(state.spend).costUsd,
    activeMs: state.activeMs,
    testsPassed: tests?.passed,
    testsFailed: tests === undefined ? undefined : failingTests(tests),
    ...(pipeline === undefined
      ? {}
      : {
          itemsEnded: pipeline.approved + pipeline.rejected + pipeline.failed,
          itemsApproved: pipeline.approved,
        }),
  };
}
