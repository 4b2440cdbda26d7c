import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judged } from '../../test/support/facts.js';
import type { TestResults } from '../model/test-results.js';
import { type ComparedWith, runTests } from './run-tests.js';

let workingDir: string;
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-run-tests-'));
});
afterEach(() => rmSync(workingDir, { recursive: true, force: true }));

interface Options {
  readonly report?: string;
  readonly timeoutMs?: number;
  readonly named?: readonly string[];
  readonly parse?: boolean;
  readonly signal?: AbortSignal;
  readonly comparedWith?: ComparedWith;
}

async function observe(command: string, options: Options = {}): Promise<TestResults | undefined> {
  const { report, timeoutMs = 60_000, named = [], parse, signal } = options;
  const harness = { workingDir, environment: process.env, cookie: randomUUID(), signal };
  return runTests({ command, timeoutMs, report, parse }, harness, named, options.comparedWith);
}

async function run(command: string, options: Options = {}): Promise<TestResults> {
  const results = await observe(command, options);
  if (results === undefined) throw new Error('the tests were not observed');
  return results;
}

function write(path: string, text: string): void {
  const file = join(workingDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const status = (tests: TestResults) => judged('all_tests_pass', { tests }).status;

const junit = (...cases: readonly string[]) =>
  `<?xml version="1.0"?><testsuite name="s">${cases.map((one) => `<testcase name="${one.replace('!', '')}">${one.startsWith('!') ? '<failure message="no"/>' : ''}</testcase>`).join('')}</testsuite>`;
const GREEN = junit('one', 'two');
const RED = junit('one', '!two');
const vitest = (passed: number, failed: number) =>
  JSON.stringify({
    numTotalTestSuites: 1,
    numTotalTests: passed + failed,
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: 0,
    numTodoTests: 0,
    snapshot: {},
    success: failed === 0,
    testResults: [],
  });

describe('the tests of the harness', () => {
  it('are read off their output: counts, names and errors', async () => {
    write(
      'out.txt',
      'TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\n  ---\n  message: broken\n  ...\nok 3 - c # SKIP\n',
    );
    expect(await run('cat out.txt; exit 1')).toEqual({
      source: 'harness',
      grade: 'named',
      exitCode: 1,
      framework: 'tap',
      total: 3,
      passed: 1,
      failed: 1,
      skipped: 1,
      details: [
        { name: 'b', status: 'failed', error: 'broken' },
        { name: 'a', status: 'passed' },
        { name: 'c', status: 'skipped' },
      ],
      durationMs: expect.any(Number) as number,
    });
  });

  it('that say nothing are judged by their exit code', async () => {
    expect(await run('true')).toMatchObject({ exitCode: 0, details: [] });
    expect(status(await run('true'))).toBe('unknown');
    expect(status(await run('true', { parse: false }))).toBe('met');
    expect(status(await run('exit 3'))).toBe('not-met');
    expect(await run('printf "TAP version 13\\n1..1\\nok 1 - a\\n"', { parse: false })).not.toHaveProperty('passed');
  });

  it('know that they are not at a terminal', async () => {
    expect(await run('test "$CI" = 1')).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['a command that is not there', 'no-such-command', 127],
    ['a command that cannot be run', './plain.txt', 126],
  ])('fail with an exit code for %s', async (_, command, exitCode) => {
    write('plain.txt', 'text');
    const results = await run(command);
    expect(results).toMatchObject({ exitCode });
    expect(status(results)).toBe('not-met');
  });

  it('that time out have failed, although they were green so far', async () => {
    const results = await run('printf "TAP version 13\\n1..1\\nok 1 - a\\n"; sleep 600', { timeoutMs: 500 });
    expect(results).toMatchObject({ timedOut: true, passed: 1, failed: 0 });
    expect(status(results)).toBe('not-met');
  });

  it('that are killed after a green summary are not green', async () => {
    const results = await run('printf "TAP version 13\\n1..1\\nok 1 - a\\n"; kill -SEGV $$');
    expect(results).toMatchObject({ exitCode: 139, passed: 1, failed: 0 });
    expect(status(results)).toBe('not-met');
  });

  it('that were cut short were not observed', async () => {
    expect(await observe('sleep 600', { signal: AbortSignal.timeout(300) })).toBeUndefined();
    expect(await observe('true', { signal: AbortSignal.abort() })).toBeUndefined();
  });

  it('in a folder that is gone are unknown, with a reason', async () => {
    rmSync(workingDir, { recursive: true });
    const results = await run('true');
    expect(results.details).toMatchObject([{ status: 'error', error: expect.stringContaining(workingDir) as string }]);
    expect(status(results)).toBe('unknown');
  });

  it('of whose output the middle is missing are read at its end', async () => {
    write('tap', 'TAP version 13\n1..1\nok 1 - a\n');
    const noise = 'yes "some line of a log" | head -n 100000';
    expect(await run(`${noise}; cat tap`)).toMatchObject({ framework: 'tap', passed: 1 });
    // A report that begins before the gap has lost tests in it.
    expect(await run(`echo "TAP version 13"; echo "1..2"; echo "ok 1 - a"; ${noise}`)).not.toHaveProperty('passed');
  });
});

describe('details', () => {
  const tap = (lines: readonly string[]) => `TAP version 13\n1..${lines.length}\n${lines.join('\n')}\n`;

  it('are few, failing ones first, and those that the policy names are never left out', async () => {
    const lines = Array.from(
      { length: 3000 },
      (_, index) => `${index % 4 === 3 ? 'not ok' : 'ok'} ${index + 1} - t${index}`,
    );
    write('out.txt', tap(lines));
    const results = await run('cat out.txt', { named: ['t2998', 't0', 'other'] });
    expect(results).toMatchObject({ total: 3000, failed: 750, omittedDetails: 2500 });
    expect(results.details).toHaveLength(500);
    expect(results.details.slice(0, 498).every((detail) => detail.status === 'failed')).toBe(true);
    expect(results.details.slice(498)).toMatchObject([{ name: 't0' }, { name: 't2998' }]);
  });

  it('of a name that stands for many tests keep the worst', async () => {
    const lines = Array.from(
      { length: 2000 },
      (_, index) => `ok ${index + 1} - same${index === 1500 ? ' # SKIP' : ''}`,
    );
    write('out.txt', tap(lines));
    const { details } = await run('cat out.txt', { named: ['same'] });
    expect(details[0]).toMatchObject({ name: 'same', status: 'skipped' });
  });

  it('have short errors and names, but a name that the policy names is kept whole', async () => {
    const [long, named] = ['l'.repeat(3000), 'n'.repeat(3000)];
    write('out.txt', tap([`ok 1 - ${named}`, `not ok 2 - ${long}\n  ---\n  message: "${'e'.repeat(5000)}"\n  ...`]));
    const { details } = await run('cat out.txt', { named: [named] });
    expect(details.map(({ name, error }) => [name.length, error?.length])).toEqual([
      [500, 1000],
      [3000, undefined],
    ]);
  });
});

describe('a report', () => {
  it('is read in place of the output, whatever the tests printed', async () => {
    write('green.xml', GREEN.replace('</testsuite>', '<system-out>Tests: 9 failed, 9 total</system-out></testsuite>'));
    const results = await run('cp green.xml junit.xml; printf "TAP version 13\\n1..1\\nnot ok 1 - a\\n"', {
      report: 'junit.xml',
    });
    expect(results).toMatchObject({ framework: 'junit', passed: 2, failed: 0, exitCode: 0 });
    expect(status(results)).toBe('met');
  });

  it('may be JSON or TAP, and several files of several formats are added up', async () => {
    write('a', GREEN);
    write('b', vitest(3, 0));
    write('c', 'TAP version 13\n1..1\nok 1 - tap\n');
    const results = await run('mkdir -p o/x/.y; cp a o/a.xml; cp b o/x/b.json; cp c o/x/.y/c.tap', {
      report: 'o/**/*',
    });
    expect(results).toMatchObject({ framework: 'junit, tap, vitest', total: 6, passed: 6, failed: 0 });
  });

  it('that is red is red, even with exit code 0', async () => {
    write('red.xml', RED);
    const results = await run('cp red.xml junit.xml', { report: './*.xml' });
    expect(results.details).toContainEqual({ name: 'two', status: 'failed', error: 'no' });
    expect(status(results)).toBe('not-met');
  });

  it('that is missing leaves the tests unknown when they exit with 0, and red when they do not', async () => {
    const silent = await run('true', { report: 'junit.xml' });
    expect(status(silent)).toBe('unknown');
    expect(silent.details).toEqual([
      { name: 'report junit.xml', status: 'error', error: expect.stringContaining('did not write it') },
    ]);
    expect(status(await run('exit 2', { report: '**/*.xml' }))).toBe('not-met');
  });

  it('from before is not believed, not even with a date of tomorrow', async () => {
    write('junit.xml', GREEN);
    expect(status(await run('true', { report: 'junit.xml' }))).toBe('unknown');
    const tomorrow = Date.now() / 1000 + 86_400;
    utimesSync(join(workingDir, 'junit.xml'), tomorrow, tomorrow);
    expect(status(await run('true', { report: '*.xml' }))).toBe('unknown');
  });

  it('that is written anew with a date of yesterday, or in place, is of this run', async () => {
    write('junit.xml', RED);
    write('green', GREEN);
    const command = 'cat green > junit.xml; touch -d yesterday junit.xml';
    expect(status(await run(command, { report: 'junit.xml' }))).toBe('met');
    expect(status(await run(command, { report: 'junit.xml' }))).toBe('met');
  });

  it.each([
    ['cut off', `printf '${GREEN.slice(0, -20)}' > junit.xml`],
    ['empty', ': > junit.xml'],
    ['something else', 'echo hello > junit.xml'],
    ['a folder', 'mkdir junit.xml'],
    ['a pipe', 'mkfifo junit.xml'],
    ['a link to itself', 'ln -s junit.xml junit.xml'],
    ['a device', 'ln -s /dev/zero junit.xml'],
    ['unreadably large', 'truncate -s 3G junit.xml'],
  ])('that is %s leaves the tests unknown', async (_, command) => {
    const results = await run(command, { report: 'junit.xml' });
    expect(status(results)).toBe('unknown');
    expect(results.details).toMatchObject([{ name: 'report junit.xml', status: 'error' }]);
  });

  it('outside of the working directory is not read through a link', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'pawl-outside-'));
    writeFileSync(join(outside, 'green.xml'), GREEN);
    try {
      expect(status(await run(`ln -s ${outside}/green.xml junit.xml`, { report: 'junit.xml' }))).toBe('unknown');
      symlinkSync(outside, join(workingDir, 'linked'));
      expect(status(await run('true', { report: 'linked/green.xml' }))).toBe('unknown');
      expect(status(await run('true', { report: 'linked/*.xml' }))).toBe('unknown');
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('beside one that cannot be read is green for nobody, but red for all', async () => {
    write('red', RED);
    write('green', GREEN);
    const half = 'mkdir -p o; echo half > o/b.xml';
    expect(status(await run(`${half}; cp green o/a.xml`, { report: 'o/*.xml' }))).toBe('unknown');
    const red = await run(`${half}; cp red o/a.xml`, { report: 'o/*.xml' });
    expect(red).toMatchObject({ failed: 1, exitCode: 0 });
    expect(status(red)).toBe('not-met');
  });

  it('is not looked for when nothing is to be parsed', async () => {
    expect(await run('true', { report: 'junit.xml', parse: false })).toMatchObject({ exitCode: 0, details: [] });
  });

  it('is found where a glob leads, and not among what was installed', async () => {
    write('green', GREEN);
    write('red', RED);
    const command =
      'mkdir -p a/b node_modules/p "[x]"; cp red node_modules/p/t.xml; cp green a/b/t.xml; cp green "[x]/t.xml"';
    expect(await run(command, { report: '**/t.xml' })).toMatchObject({ total: 4, failed: 0 });
    expect(await run(command, { report: 'a/*.xml' })).not.toHaveProperty('total');
    expect(await run(command, { report: '*/b/*.xml' })).toMatchObject({ total: 2 });
  });
});

describe('names of tests', () => {
  const program = (path: string, text: string) => {
    write(path, `#!/bin/sh\n${text}`);
    chmodSync(join(workingDir, path), 0o755);
  };
  const SUMMARY = 'echo "Test Suites: 1 passed, 1 total"; echo "Tests:       2 passed, 2 total"';
  const LIST = 'echo "PASS test/a.test.js"; echo "  ✓ one (2 ms)"; echo "  ✓ two (1.204 s)"';

  it('are asked for by a flag of the runner, and read without their durations', async () => {
    program('jest', `[ "$1" = --verbose ] && { ${LIST}; }; ${SUMMARY}`);
    const tests = await run('./jest', { comparedWith: 'start' });
    expect(tests).toMatchObject({ grade: 'named', passed: 2, names: { passed: expect.any(String) } });
    expect(tests.details).toEqual([
      { name: 'one', status: 'passed', file: 'test/a.test.js', durationMs: 2 },
      { name: 'two', status: 'passed', file: 'test/a.test.js', durationMs: 1204 },
    ]);
  });

  it('are not had of a runner that rejects the flag: its green run stays green, and it is not asked again', async () => {
    program('jest', `echo "$@." >> calls; [ $# -eq 0 ] || { echo "Unrecognized option: $1" >&2; exit 1; }; ${SUMMARY}`);
    const start = await run('./jest', { comparedWith: 'start' });
    expect(start).toMatchObject({ grade: 'counted', exitCode: 0, passed: 2, namesRefused: true });
    expect(await run('./jest', { comparedWith: start })).toMatchObject({ grade: 'counted', exitCode: 0 });
    expect(readFileSync(join(workingDir, 'calls'), 'utf8')).toBe('--verbose.\n.\n.\n');
  });

  it('are not asked for again of a red run that counts its tests', async () => {
    program(
      'jest',
      'echo run >> calls; echo "Test Suites: 1 failed, 1 total"; echo "Tests: 1 failed, 1 total"; exit 1',
    );
    expect(await run('./jest')).toMatchObject({ grade: 'counted', failed: 1 });
    expect(readFileSync(join(workingDir, 'calls'), 'utf8')).toBe('run\n');
  });

  it('are compared only when both runs have them: a runner may print them only sometimes', async () => {
    write('named', 'TAP version 13\n1..2\nok 1 - a\nok 2 - b\n');
    write('counted', '=== 2 passed in 0.01s ===\n');
    const start = await run('cat named', { comparedWith: 'start' });
    expect(await run('cat counted', { comparedWith: start })).not.toHaveProperty('changes');
    const counted = await run('cat counted', { comparedWith: 'start' });
    expect(counted).not.toHaveProperty('names');
    expect(await run('cat named', { comparedWith: counted })).not.toHaveProperty('changes');
    expect(await run('cat named', { comparedWith: start })).toMatchObject({ changes: { digest: expect.any(String) } });
  });

  it('are had without colours', async () => {
    write('plain', 'TAP version 13\n1..1\nok 1 - é 🎉\n');
    write('coloured', 'TAP version 13\n1..1\n\u001b[32mok\u001b[0m 1 - \u001b[1mé 🎉\u001b[0m\n');
    const start = await run('cat plain', { comparedWith: 'start' });
    const { changes } = await run('cat coloured', { comparedWith: start });
    expect(changes).toEqual({ digest: expect.any(String) });
  });

  it.each([
    [
      'go test -v',
      (n: number) => `=== RUN   Test${n}\n--- PASS: Test${n} (0.00s)\n`,
      'PASS\nok  \texample.com/a\t0.1s\n',
    ],
    ['pytest', (n: number) => `PASSED tests/test_a.py::test_${n}\n`, '=== 40000 passed in 3.20s ===\n'],
  ])('of 40,000 tests among megabytes of output are all read: %s', async (_, line, end) => {
    const noise = `${'what a test prints '.repeat(10)}\n`;
    const lines = Array.from({ length: 40_000 }, (_, n) => `${line(n)}${n % 10 === 0 ? noise : ''}`);
    write('out', `${lines.join('')}${end}`);
    expect(await run('cat out')).toMatchObject({ grade: 'named', passed: 40_000, omittedDetails: 39_500 });
  });

  it('are not had of a command whose exit code decides', async () => {
    write('out', 'TAP version 13\n1..1\nok 1 - a\n');
    expect(await run('cat out', { parse: false })).toMatchObject({ grade: 'exit-code', exitCodeDecides: true });
    expect(await run('true')).toMatchObject({ grade: 'exit-code', exitCode: 0 });
    expect(await run('true')).not.toHaveProperty('exitCodeDecides');
  });
});
