import type { Observation } from './observation.js';
import { failingTests, type TestResults, testsRan, allPassed } from './test-results.js';
import { type GreenSeen, openIteration, type Phase } from './phase.js';

/** The best that the tests have shown, against which progress is measured. */
export interface TestRecord {
  readonly mostPassed?: number | undefined;
  readonly fewestFailed?: number | undefined;
  readonly ranAtFewestFailed?: number | undefined;
  /** The fewest that failed since all tests passed last, or since their number grew. */
  readonly streakLow?: number | undefined;
  readonly mostRanInStreak?: number | undefined;
}

/**
 * An iteration made progress when the tree differs in content from where it started, or more tests pass than ever in
 * the run, or fewer fail than ever and no fewer ran. Undefined when it is unknown: neither adds nor breaks a streak.
 */
export function madeProgress(observation: Observation, record: TestRecord): boolean | undefined {
  const { tests } = observation;
  const improved = tests === undefined ? false : improves(tests, record);
  return improved || isTreeChanged(observation);
}

/** Whether the tree differs in content from where the iteration started. Undefined when it is unknown. */
export function isTreeChanged({ files, fingerprint }: Observation): boolean | undefined {
  if (files === undefined) {
    return fingerprint?.before === undefined ? undefined : fingerprint.before !== fingerprint.after;
  }
  if (files.treeBefore !== files.treeAfter) return true;
  return files.incomplete === undefined || files.incomplete.length === 0 ? false : undefined;
}

/** More tests pass than ever, or fewer fail than ever and no fewer ran. */
export function improves(tests: TestResults, record: TestRecord): boolean {
  if (tests.passed !== undefined && record.mostPassed !== undefined && tests.passed > record.mostPassed) return true;
  // A test that is gone is not a test that passes.
  return isNewLow(tests, record) && (testsRan(tests) ?? 0) >= (record.ranAtFewestFailed ?? 0);
}

/** Whether failing tests are fewer than at any time since they began to fail. */
export function isNewStreakLow(tests: TestResults, { streakLow }: TestRecord): boolean {
  return streakLow !== undefined && isBelow(tests, streakLow);
}

/** Whether failing tests are fewer than ever in the run. */
export function isNewLow(tests: TestResults, record: TestRecord): boolean {
  return record.fewestFailed !== undefined && isBelow(tests, record.fewestFailed);
}

/** The record after these results. */
export function withTests(record: TestRecord, tests: TestResults): TestRecord {
  const better = isBelow(tests, record.fewestFailed ?? Number.POSITIVE_INFINITY);
  return {
    mostPassed: largest(record.mostPassed, tests.passed),
    fewestFailed: better ? failingTests(tests) : record.fewestFailed,
    ranAtFewestFailed: better ? testsRan(tests) : record.ranAtFewestFailed,
    ...streakAfter(record, tests),
  };
}

/** New tests that fail are no setback. */
function streakAfter({ streakLow, mostRanInStreak }: TestRecord, tests: TestResults): Partial<TestRecord> {
  const [failing, ran] = [failingTests(tests), testsRan(tests)];
  if (failing === 0) return { streakLow: undefined, mostRanInStreak: undefined };
  const hasGrown = ran !== undefined && mostRanInStreak !== undefined && ran > mostRanInStreak;
  const low = hasGrown || streakLow === undefined ? failing : Math.min(streakLow, failing ?? streakLow);
  return { streakLow: low ?? streakLow, mostRanInStreak: largest(mostRanInStreak, ran) };
}

function isBelow(tests: TestResults, fewest: number): boolean {
  const failing = failingTests(tests);
  return failing !== undefined && failing < fewest;
}

function largest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b);
}

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
