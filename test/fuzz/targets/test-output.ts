import { join } from 'node:path';
import { bunSummary } from '../../../src/observation/bun-summary.js';
import { cargoSummary } from '../../../src/observation/cargo-summary.js';
import { ctestSummary } from '../../../src/observation/ctest-summary.js';
import { denoSummary } from '../../../src/observation/deno-summary.js';
import { dotnetSummary } from '../../../src/observation/dotnet-summary.js';
import { goEvents, goSummary } from '../../../src/observation/go-test.js';
import { jestSummary } from '../../../src/observation/jest-summary.js';
import { jsonReport } from '../../../src/observation/json-report.js';
import { junitReport } from '../../../src/observation/junit-report.js';
import { keptDetails } from '../../../src/observation/kept-details.js';
import { mochaSummary } from '../../../src/observation/mocha-summary.js';
import { nextestSummary } from '../../../src/observation/nextest-summary.js';
import { nodeTestSummary } from '../../../src/observation/node-test-summary.js';
import { parseTestOutput } from '../../../src/observation/parse-test-output.js';
import { parseTestReport } from '../../../src/observation/parse-test-report.js';
import type { OutputParser, Reading } from '../../../src/observation/parsed-tests.js';
import { phpunitSummary } from '../../../src/observation/phpunit-summary.js';
import { plainLines } from '../../../src/observation/plain-lines.js';
import { pytestSummary } from '../../../src/observation/pytest-summary.js';
import { rspecSummary } from '../../../src/observation/rspec-summary.js';
import { tapStream } from '../../../src/observation/tap-stream.js';
import { unittestSummary } from '../../../src/observation/unittest-summary.js';
import { vitestSummary } from '../../../src/observation/vitest-summary.js';
import type { FuzzTarget } from '../fuzz-target.js';
import { recordingsIn } from './recordings.js';

const SUMMARY_LINE_CHARACTERS = 4096;
/** A record of the observation of one iteration stays far below the longest line of a journal. */
const MOST_KEPT_BYTES = 2 * 1024 * 1024;
const STATUSES = ['passed', 'failed', 'skipped', 'error'];

/** Each parser with the recordings that are its own; all of them read every recording through `test output`. */
const PARSERS: Readonly<Record<string, readonly [parser: OutputParser, ...folders: string[]]>> = {
  bun: [bunSummary, 'bun'],
  cargo: [cargoSummary, 'cargo'],
  ctest: [ctestSummary, 'ctest'],
  deno: [denoSummary, 'deno'],
  dotnet: [dotnetSummary, 'dotnet'],
  'go lines': [goSummary, 'go-plain', 'go-v'],
  'go events': [goEvents, 'go-json'],
  jest: [jestSummary, 'jest'],
  'json report': [jsonReport, 'jest-json', 'vitest-json'],
  junit: [junitReport, 'node-junit', 'vitest-junit'],
  mocha: [mochaSummary, 'mocha'],
  nextest: [nextestSummary, 'nextest'],
  'node test': [nodeTestSummary, 'node-spec'],
  phpunit: [phpunitSummary, 'phpunit'],
  pytest: [pytestSummary, 'pytest'],
  rspec: [rspecSummary, 'rspec'],
  tap: [tapStream, 'node-tap', 'vitest-tap'],
  unittest: [unittestSummary, 'unittest'],
  vitest: [vitestSummary, 'vitest'],
};

const outputsIn = (root: string, folder = '') =>
  recordingsIn(join(root, 'test', 'fixtures', 'test-output', folder), '.txt').filter((text) => text !== '');

export const TEST_OUTPUT_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  ...Object.fromEntries(
    Object.entries(PARSERS).map(([name, [parse, ...folders]]): [string, FuzzTarget] => [
      `tests of ${name}`,
      {
        corpus: (root) => folders.flatMap((folder) => outputsIn(root, folder)),
        check: (input) => {
          const lines = plainLines(input.toString('utf8'));
          const isReport = [goEvents, jsonReport, junitReport, tapStream].includes(parse);
          return readingFault(
            parse(isReport ? lines : lines.map((line) => line.slice(0, SUMMARY_LINE_CHARACTERS))),
            input,
          );
        },
      },
    ]),
  ),
  'test output': {
    corpus: (root) => outputsIn(root),
    check: (input) => readingFault(parseTestOutput(input.toString('utf8')), input),
  },
  'test report': {
    corpus: (root) =>
      ['node-junit', 'vitest-junit', 'jest-json', 'vitest-json', 'go-json', 'node-tap', 'vitest-tap'].flatMap(
        (folder) => outputsIn(root, folder),
      ),
    check: (input) => readingFault(parseTestReport(input.toString('utf8')), input),
  },
};

function readingFault(reading: Reading, input: Buffer): string | undefined {
  if (reading === undefined || reading === 'unfinished') return undefined;
  const { total, passed, failed, skipped, details } = reading;
  const counts = [total, passed, failed, skipped];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return `counts are ${counts.join(' ')}`;
  if (total !== passed + failed + skipped) return `the sum is wrong: ${counts.join(' ')}`;
  if (details.length > 8 + input.length / 2) return `${details.length} tests in ${input.length} bytes`;
  if (failed === 0 && details.some(({ status }) => status === 'failed' || status === 'error'))
    return 'green with a red test';
  const odd = details.find(
    ({ name, status, error, durationMs }) =>
      typeof name !== 'string' ||
      !STATUSES.includes(status) ||
      (error !== undefined && typeof error !== 'string') ||
      (durationMs !== undefined && !Number.isFinite(durationMs)),
  );
  if (odd !== undefined) return `a test is ${JSON.stringify(odd).slice(0, 300)}`;
  const kept = JSON.stringify(keptDetails(details, [])).length;
  return kept > MOST_KEPT_BYTES ? `${kept} bytes are kept` : undefined;
}
