import type { TestDetail, TestStatus } from '../model/test-results.js';
import { wholeNumber } from './counted-words.js';
import { addCounts, parsedTests, type Reading, type TestCounts, testDetail, unfinishedTests } from './parsed-tests.js';

const RESULT = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; /;
/** "src/lib.rs - add (line 5)": the line moves with every edit above it. */
const DOCTEST_LINE = /^(\S+\.\w+ - .*) \(line \d+\)(?= - |$)/;
const STATUS: Readonly<Record<string, TestStatus>> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/** One test binary: from "running 3 tests" to the next. The first may have lost its head to a `tail`. */
interface Binary {
  readonly announced: number | undefined;
  readonly results: TestCounts[];
}

/** `cargo test`: each binary, and the documentation tests, have a summary of their own. */
export function cargoSummary(lines: readonly string[]): Reading {
  const binaries = binariesIn(lines);
  if (binaries.length === 0) return undefined;
  const details = namedTests(lines);
  const counts = binaries.map(resultOf).filter((result) => result !== undefined);
  const sum = addCounts(counts);
  if (counts.length === binaries.length || sum.failed > 0) return parsedTests('cargo', sum, details);
  return unfinishedTests('cargo', details);
}

function binariesIn(lines: readonly string[]): readonly Binary[] {
  const binaries: Binary[] = [];
  for (const line of lines) {
    const announced = /^running (\d+) tests?$/.exec(line)?.[1];
    if (announced !== undefined) binaries.push({ announced: wholeNumber(announced), results: [] });
    const result = RESULT.exec(line);
    if (result === null) continue;
    if (binaries.length === 0) binaries.push({ announced: undefined, results: [] });
    const [, passed, failed, ignored, measured] = result;
    binaries.at(-1)?.results.push({
      passed: wholeNumber(passed) + wholeNumber(measured),
      failed: wholeNumber(failed),
      skipped: wholeNumber(ignored),
    });
  }
  return binaries;
}

/** What a test printed may look like a result: the real one comes last and has as many tests as were announced. */
function resultOf({ announced, results }: Binary): TestCounts | undefined {
  const fitting = results.filter(({ passed, failed, skipped }) => passed + failed + skipped === announced);
  return fitting.at(-1) ?? results.at(-1);
}

function namedTests(lines: readonly string[]): readonly TestDetail[] {
  const errors = errorsIn(lines);
  const details: TestDetail[] = [];
  for (const line of lines) {
    const verbose = /^test (.*) \.\.\. (ok|FAILED|ignored)\b/.exec(line);
    const quiet = verbose === null && line.endsWith(' --- FAILED') ? line.slice(0, -' --- FAILED'.length) : undefined;
    const name = (verbose?.[1]?.replace(/ - should panic$/, '') ?? quiet)?.replace(DOCTEST_LINE, '$1');
    const status = STATUS[verbose?.[2] ?? 'FAILED'];
    if (name !== undefined && status !== undefined)
      details.push(testDetail(name, status, { error: status === 'failed' ? errors.get(name) : undefined }));
  }
  return details;
}

function errorsIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const name = /^---- (.*) stdout ----$/.exec(line)?.[1];
    if (name === undefined) continue;
    const panic = lines.slice(index + 1, index + 20).findIndex((next) => next.includes(' panicked at '));
    if (panic >= 0)
      errors.set(name.replace(DOCTEST_LINE, '$1'), lines.slice(index + 1 + panic, index + 5 + panic).join('\n'));
  }
  return errors;
}
