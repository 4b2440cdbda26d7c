import { bunSummary } from './bun-summary.js';
import { cargoSummary } from './cargo-summary.js';
import { ctestSummary } from './ctest-summary.js';
import { denoSummary } from './deno-summary.js';
import { dotnetSummary } from './dotnet-summary.js';
import { goEvents, goSummary } from './go-test.js';
import { jestSummary } from './jest-summary.js';
import { jsonReport } from './json-report.js';
import { junitReport } from './junit-report.js';
import { mochaSummary } from './mocha-summary.js';
import { nextestSummary } from './nextest-summary.js';
import { nodeTestSummary } from './node-test-summary.js';
import type { OutputParser, ParsedTests, Reading, ReadTests } from './parsed-tests.js';
import { phpunitSummary } from './phpunit-summary.js';
import { plainLines } from './plain-lines.js';
import { pytestSummary } from './pytest-summary.js';
import { rspecSummary } from './rspec-summary.js';
import { tapStream } from './tap-stream.js';
import { unittestSummary } from './unittest-summary.js';
import { vitestSummary } from './vitest-summary.js';

const REPORTS: readonly OutputParser[] = [junitReport, jsonReport, goEvents, tapStream];

/** Those with the most telling marks first. */
const SUMMARIES: readonly OutputParser[] = [
  vitestSummary,
  jestSummary,
  nextestSummary,
  cargoSummary,
  bunSummary,
  denoSummary,
  nodeTestSummary,
  goSummary,
  ctestSummary,
  dotnetSummary,
  phpunitSummary,
  rspecSummary,
  pytestSummary,
  unittestSummary,
  mochaSummary,
];

/** No line of a summary is longer; what a test printed may be. */
const SUMMARY_LINE_CHARACTERS = 4096;

/**
 * Reads how a test run went off what it printed: a report (JUnit XML, TAP, `go test -json`, JSON of jest or vitest), else
 * the summary of a known framework. Several runs of one framework are added up. Where several frameworks are recognised they
 * are not mixed: the first that is red is the answer, so that nothing printed next to a red run makes it green.
 *
 * Undefined when nothing is recognised or the run broke off before it named a failing test: then its exit code decides.
 *
 * @example
 * ```ts
 * import { parseTestOutput } from 'pawl';
 *
 * const parsed = parseTestOutput('Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n');
 * console.log(parsed?.framework, parsed?.passed); // jest 3
 * ```
 */
export function parseTestOutput(output: string): ParsedTests | undefined {
  return withoutSource(answerOf(readingsOf(output)));
}

/**
 * The same of an output from whose middle lines were left out. Only a summary counts then, unless every line that names a test was
 * kept: else a list of tests is not whole, and how many there are is unknown.
 */
export function parseCutOutput(output: string, hasAllTestLines = false): ParsedTests | undefined {
  const readings = readingsOf(output).map((reading) => {
    if (typeof reading !== 'object' || reading.isListed !== true) return reading;
    return hasAllTestLines && reading.framework === 'go' ? reading : 'unfinished';
  });
  return withoutSource(answerOf(readings));
}

function readingsOf(output: string): readonly Reading[] {
  const lines = plainLines(output);
  const short = lines.map((line) => line.slice(0, SUMMARY_LINE_CHARACTERS));
  return [...REPORTS.map((parse) => parse(lines)), ...SUMMARIES.map((parse) => parse(short))];
}

function answerOf(readings: readonly Reading[]): ReadTests | undefined {
  const found = readings.filter((reading) => reading !== undefined && reading !== 'unfinished');
  const red = found.find((parsed) => parsed.failed > 0);
  if (red !== undefined || readings.includes('unfinished')) return red;
  return found[0];
}

function withoutSource(reading: ReadTests | undefined): ParsedTests | undefined {
  if (reading === undefined) return undefined;
  const { isListed: _, ...parsed } = reading;
  return parsed;
}
