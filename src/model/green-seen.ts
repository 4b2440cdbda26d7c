import { type GreenSeen, openIteration, type Phase } from './phase.js';
import { allPassed, type TestResults, testsRan } from './test-results.js';

/** Tests ran, all of them passed, and no fewer ran than at the start of the run, as far as that is known. */
export function isGreen(tests: TestResults, baseline: TestResults | undefined): boolean {
  const ran = testsRan(tests);
  return allPassed(tests) && (ran === undefined || ran >= leastTests(baseline));
}

/** A green result has at least this many tests. */
export function leastTests(baseline: TestResults | undefined): number {
  return Math.max(1, (baseline && testsRan(baseline)) ?? 1);
}

interface EndedIteration {
  readonly iteration: number;
  readonly testsPassed?: number | undefined;
  readonly testsFailed?: number | undefined;
  readonly green?: GreenSeen | undefined;
}

/** The newest green moment that no iteration has ended with. Undefined when there is none, or a later iteration ended green. */
export function lostGreen(state: {
  readonly phase: Phase;
  readonly recent: readonly EndedIteration[];
}): (GreenSeen & { readonly iteration: number }) | undefined {
  const open = openIteration(state);
  const ended = state.recent.findLast(({ green, ...tests }) => green !== undefined || endedGreen(tests));
  const { iteration, green } = open?.green === undefined ? (ended ?? {}) : open;
  return green === undefined || iteration === undefined ? undefined : { iteration, ...green };
}

function endedGreen({ testsPassed = 0, testsFailed }: Pick<EndedIteration, 'testsPassed' | 'testsFailed'>): boolean {
  return testsPassed > 0 && testsFailed === 0;
}
