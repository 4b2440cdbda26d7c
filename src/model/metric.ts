import type { ProbeResult } from './observation.js';
import { allPassed, failingTests, lostTests, type TestResults } from './test-results.js';

/** Which way is better. */
export type Direction = 'higher' | 'lower';

/** What is measured, and what counts as better. */
export interface Measured {
  readonly command: string;
  readonly better: Direction;
  readonly min_change?: number | undefined;
}

export interface BestResult {
  readonly value: number;
  /** 0: before the first. */
  readonly iteration: number;
  /** The files with which it was measured. Absent when there is no snapshot of them. */
  readonly tree?: string | undefined;
}

/** What a metric has shown in a run. */
export interface MetricRecord {
  /** Before the first iteration. */
  readonly start?: number | undefined;
  /** Of the last measurement; absent when it gave none. */
  readonly last?: number | undefined;
  /** Why the last measurement gave no value. */
  readonly problem?: string | undefined;
  /** The last result is not a best one, because tests that passed at the start fail. */
  readonly isUnfit?: true | undefined;
  readonly best?: BestResult | undefined;
  /** Iterations since the best one in which it was measured. */
  readonly stalled: number;
}

/** Where and when it was measured. */
export interface MeasuredAt {
  readonly iteration: number;
  readonly tree: string | undefined;
  /** What an iteration did with the tests, and what they were at the start. */
  readonly tests?: TestResults | undefined;
  readonly testsAtStart?: TestResults | undefined;
}

/** The record of a metric stays with what is measured: another target is no other metric. */
export function metricKey({ better, command }: Measured): string {
  return `${better} ${command}`;
}

/** Whether a value is better than the best one. A change that is not larger than `min_change` is noise. */
export function isBetter(value: number, best: number, { better, min_change: change = 0 }: Measured): boolean {
  return better === 'higher' ? value > best + change : value < best - change;
}

/** Whether a result would be the best so far. The first one is. */
export function isNewBest(record: MetricRecord | undefined, value: number | undefined, metric: Measured): boolean {
  if (value === undefined) return false;
  return record?.best === undefined || isBetter(value, record.best.value, metric);
}

/**
 * Of two measurements of the same files the worse one counts: one lucky measurement must not be the best that no later iteration
 * can reach. When one of the two gave no value, the result has none.
 */
export function worseOf(first: ProbeResult, second: ProbeResult, { better }: Measured): ProbeResult {
  if (first.value === undefined) return first;
  if (second.value === undefined)
    return { detail: `it gave ${first.value} first, and no value the second time: ${second.detail ?? 'unknown'}` };
  return (better === 'higher') === second.value < first.value ? second : first;
}

/** The record after a measurement. An iteration that gave no value is one without a better result. */
export function metricAfter(
  before: MetricRecord | undefined,
  { value, detail }: ProbeResult,
  metric: Measured,
  { iteration, tree, tests, testsAtStart }: MeasuredAt,
): MetricRecord {
  const { start, best, stalled = 0 } = before ?? {};
  const isStart = iteration === 0;
  const isUnfit = value !== undefined && tests !== undefined && isWorseThanStart(tests, testsAtStart);
  const isBest = !isUnfit && isNewBest(before, value, metric);
  return {
    start: isStart ? value : start,
    ...(value === undefined ? { problem: detail ?? 'it was not measured' } : { last: value }),
    ...(isUnfit ? { isUnfit: true } : {}),
    best: isBest && value !== undefined ? { value, iteration, ...(tree === undefined ? {} : { tree }) } : best,
    stalled: isBest || isStart ? 0 : stalled + 1,
  };
}

/** A result that was reached by breaking what worked is not the best one. */
function isWorseThanStart(tests: TestResults, start: TestResults | undefined): boolean {
  if (start === undefined) return false;
  if (lostTests(tests, start) !== undefined) return true;
  if (allPassed(tests)) return false;
  const [failing, before] = [failingTests(tests), failingTests(start)];
  return allPassed(start) || (failing !== undefined && before !== undefined && failing > before);
}

/** `at most 100`. */
export function targetText({ better }: Pick<Measured, 'better'>, target: number): string {
  return `${better === 'higher' ? 'at least' : 'at most'} ${target}`;
}

/** `best 200 in iteration 3`. */
export function bestText({ best, last }: Partial<MetricRecord> = {}): string {
  if (best === undefined) return '';
  const when = best.iteration === 0 ? 'before the first iteration' : `in iteration ${best.iteration}`;
  return best.value === last ? `the best so far` : `best so far ${best.value} ${when}`;
}

/** How it is, in a few words for a view. */
export function metricText(record: MetricRecord): string {
  const { last, problem, start, best, isUnfit } = record;
  const now = last === undefined ? `no value (${problem ?? 'not measured'})` : `${last}`;
  const unfit = isUnfit === true ? ', with tests failing that passed at the start' : '';
  const parts = [
    `${now}${unfit}`,
    best === undefined ? '' : bestText(record),
    start === undefined || best?.iteration === 0 ? '' : `${start} at the start`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
