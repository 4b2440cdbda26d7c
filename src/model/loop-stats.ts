import type { RunState } from './run-state.js';

/** Spec 096's statistics. */
export interface LoopStats {
  readonly iterations: number;
  readonly successfulIterations: number;
  readonly failedIterations: number;
  readonly reboots: number;
  readonly totalExecutionMs: number;
  readonly testFailureStreak: number;
  readonly noProgressCount: number;
}

export function statsOf(state: RunState): LoopStats {
  return {
    iterations: state.iterations,
    successfulIterations: state.history.successfulIterations,
    failedIterations: state.history.failedIterations + state.history.timedOutIterations,
    reboots: state.reboots,
    totalExecutionMs: state.history.totalDurationMs,
    testFailureStreak: state.streaks.testFailures,
    noProgressCount: state.streaks.withoutProgress,
  };
}
