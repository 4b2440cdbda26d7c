import type { TestResults } from '../model/test-results.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';

/** What a condition that is a function is called with: the figures of the run at the end of the iteration. */
export function functionContext(state: RunState) {
  const { costUsd, ...usage } = totalSpend(state.spend);
  const { observation, errors } = state.latest;
  return {
    iteration: state.iterations,
    startTime: state.startedAt,
    currentTime: state.at,
    workingDir: state.spec?.workingDir,
    recentOutput: observation.summary,
    testFailureStreak: state.streaks.testFailures,
    iterationsSinceProgress: state.streaks.withoutProgress,
    passedTests: namesOf(observation.tests, 'passed'),
    failedTests: namesOf(observation.tests, 'failed'),
    hasError: errors.length > 0,
    errorMessage: errors.at(-1)?.message,
    usage,
    model: state.agent?.model,
    costUsd,
    probes: observation.probes,
  };
}

function namesOf(tests: TestResults | undefined, status: 'passed' | 'failed'): readonly string[] | undefined {
  return tests?.details.filter((detail) => detail.status === status).map(({ name }) => name);
}
