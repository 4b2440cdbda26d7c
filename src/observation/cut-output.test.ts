import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BoundedOutput } from './bounded-output.js';
import { parseCutOutput, parseTestOutput } from './parse-test-output.js';
import { isSummaryLine } from './summary-line.js';

const FIXTURES = 'test/fixtures/test-output';
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((path) => /\.\w+$/.test(path));

function bounded(lines: readonly string[]): BoundedOutput {
  const output = new BoundedOutput(isSummaryLine);
  for (const text of lines) output.add({ text, bytes: Buffer.byteLength(text), omittedBytes: 0 });
  return output;
}

const noise = (count: number) => Array.from({ length: count }, (_, index) => `noise ${index} ${'.'.repeat(1000)}`);
const countsOf = (output: string, parse = parseTestOutput) => {
  const { total, passed, failed, skipped } = parse(output) ?? {};
  return { total, passed, failed, skipped };
};
const UNKNOWN = { total: undefined, passed: undefined, failed: undefined, skipped: undefined };

const CASES = 5000;
const failingTap = [
  'TAP version 13',
  ...Array.from({ length: CASES }, (_, index) => [
    `# Subtest: case ${index}`,
    `not ok ${index + 1} - case ${index}`,
    '  ---',
    ...Array.from(
      { length: 12 },
      (__, line) => `  stack ${line}: of a test that fails in the same way as all the others`,
    ),
    '  ...',
  ]).flat(),
  `1..${CASES}`,
  ...['tests 5000', 'suites 0', 'pass 0', 'fail 5000', 'cancelled 0', 'skipped 0', 'todo 0', 'duration_ms 812.5'].map(
    (count) => `# ${count}`,
  ),
];
const failingSpec = [
  ...Array.from({ length: CASES }, (_, index) => [
    `✖ case ${index} (0.1ms)`,
    '  AssertionError: it is not there',
  ]).flat(),
  ...['tests 5000', 'suites 0', 'pass 0', 'fail 5000', 'cancelled 0', 'skipped 0', 'todo 0', 'duration_ms 812.5'].map(
    (count) => `ℹ ${count}`,
  ),
  '',
  '✖ failing tests:',
  ...Array.from({ length: CASES }, (_, index) => [
    `✖ case ${index} (0.1ms)`,
    ...Array.from(
      { length: 12 },
      (__, line) => `    at stack line ${line} of a test that fails in the same way as the others`,
    ),
  ]).flat(),
];

describe('an output that is too long to be kept', () => {
  it.each([
    ['TAP', failingTap],
    ['the spec reporter', failingSpec],
  ])('of 5,000 failing tests has the counts of its summary: %s', (_, lines) => {
    const output = bounded(lines);
    expect(output.hasGap).toBe(true);
    expect(countsOf(output.toString(), parseCutOutput)).toEqual({ total: 5000, passed: 0, failed: 5000, skipped: 0 });
  });

  it('has no counts without a summary, because a list of tests that is not whole counts too few', () => {
    const go = Array.from({ length: 30_000 }, (_, index) => `--- FAIL: TestCase${index}WithAFairlyLongTitle (0.00s)`);
    const output = bounded(['=== RUN   TestCase0', ...go, 'FAIL\texample.com/shop\t1.2s']);
    expect(output.hasGap).toBe(true);
    expect(parseCutOutput(output.toString())).toBeUndefined();
  });

  it.each(files)('of which nothing but summaries is left has the right counts or none: %s', (file) => {
    const lines = readFileSync(join(FIXTURES, file), 'utf8').split('\n');
    const output = bounded([...noise(200), ...lines, ...noise(1100)]);
    expect(output.hasGap).toBe(true);
    expect([UNKNOWN, countsOf(lines.join('\n'))]).toContainEqual(countsOf(output.toString(), parseCutOutput));
  });

  it('keeps lines in between only as far as there is room', () => {
    const output = bounded([...noise(200), ...Array.from({ length: 100_000 }, () => 'test result: ok. 1 passed')]);
    expect(output.toString().length).toBeLessThan(1.5 * 1024 * 1024);
  });
});
