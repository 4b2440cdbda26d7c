import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickly } from '../../test/support/full-form.js';
import { cpuTimeMs } from '../../test/support/cpu-time.js';
import { isFailing } from '../model/test-results.js';
import { parseTestOutput } from './parse-test-output.js';

const FIXTURES = fileURLToPath(new URL('../../test/fixtures/test-output/', import.meta.url));

/** Fixture, framework, passed, failed, skipped, names of those that failed. Nothing after the name: not to be read. */
type Row = readonly [
  fixture: string,
  framework?: string,
  passed?: number,
  failed?: number,
  skipped?: number,
  failing?: readonly string[],
];

const ROWS: readonly Row[] = [
  ['bun/broken', 'bun', 0, 1, 0],
  ['bun/coloured-red', 'bun', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['bun/crash'],
  ['bun/green', 'bun', 3, 0, 0],
  ['bun/none', 'bun', 0, 0, 0],
  ['bun/red', 'bun', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['bun/skip', 'bun', 0, 0, 2],
  ['bun/two', 'bun', 5, 2, 2, ['sum > subtracts', 'sum > deep > fails too']],
  ['bun/zero', 'bun', 0, 0, 0],
  ['cargo/broken'],
  ['cargo/coloured-red', 'cargo', 5, 2, 1, ['red::panics', 'red::breaks']],
  ['cargo/crash'],
  ['cargo/fail-fast', 'cargo', 3, 2, 1, ['red::breaks', 'red::panics']],
  ['cargo/green', 'cargo', 4, 0, 1],
  ['cargo/quiet-red', 'cargo', 5, 2, 1, ['red::breaks', 'red::panics']],
  ['cargo/red', 'cargo', 5, 2, 1, ['red::breaks', 'red::panics']],
  ['cargo/skip', 'cargo', 0, 0, 1],
  ['cargo/zero', 'cargo', 0, 0, 0],
  ['ctest/coloured-red', 'ctest', 1, 4, 2, ['breaks', 'missing', 'segfaults', 'slow']],
  ['ctest/green', 'ctest', 2, 0, 0],
  ['ctest/output-red', 'ctest', 1, 4, 2, ['breaks', 'missing', 'segfaults', 'slow']],
  ['ctest/red', 'ctest', 1, 4, 2, ['breaks', 'missing', 'segfaults', 'slow']],
  ['ctest/skip', 'ctest', 0, 0, 1],
  ['ctest/zero', 'ctest', 0, 0, 0],
  ['deno/broken'],
  ['deno/coloured-red', 'deno', 1, 2, 1, ['breaks', 'steps']],
  ['deno/crash'],
  ['deno/green', 'deno', 2, 0, 0],
  ['deno/junit-red', 'junit', 4, 3, 1, ['breaks', 'steps', 'steps > one']],
  ['deno/red', 'deno', 1, 2, 1, ['breaks', 'steps']],
  ['deno/skip', 'deno', 0, 0, 1],
  ['deno/tap-red', 'tap', 3, 2, 1, ['breaks', 'steps > one']],
  ['deno/two', 'deno', 3, 2, 1, ['breaks', 'steps']],
  ['deno/zero', 'deno', 0, 0, 0],
  ['dotnet/documented-broken'],
  ['dotnet/documented-green', 'dotnet', 3, 0, 0],
  ['dotnet/documented-red', 'dotnet', 12, 1, 1, ['Shop.SumTests.Subtracts']],
  ['dotnet/documented-skip', 'dotnet', 0, 0, 1],
  ['dotnet/documented-table', 'dotnet', 1, 1, 1, ['Shop.SumTests.Subtracts']],
  ['dotnet/documented-terminal', 'dotnet', 4, 0, 1],
  ['dotnet/documented-zero', 'dotnet', 0, 0, 0],
  ['go-json/broken', 'go', 3, 1, 0, ['example.com/shop/f']],
  ['go-json/crash', 'go', 1, 1, 0, ['TestPanics']],
  ['go-json/green', 'go', 3, 0, 0],
  ['go-json/none', 'go', 0, 0, 0],
  ['go-json/red', 'go', 4, 2, 2, ['TestWrong', 'TestTable/inner']],
  ['go-json/skip', 'go', 0, 0, 1],
  ['go-json/zero', 'go', 0, 0, 0],
  ['go-plain/broken', 'go', 1, 1, 0, ['example.com/shop/f']],
  ['go-plain/crash', 'go', 0, 1, 0, ['TestPanics']],
  ['go-plain/green', 'go', 1, 0, 0],
  ['go-plain/none', 'go', 0, 0, 0],
  ['go-plain/red', 'go', 3, 2, 0, ['TestWrong', 'TestTable/inner']],
  ['go-plain/skip', 'go', 1, 0, 0],
  ['go-plain/zero', 'go', 0, 0, 0],
  ['go-v/broken', 'go', 3, 1, 0, ['example.com/shop/f']],
  ['go-v/crash', 'go', 1, 1, 0, ['TestPanics']],
  ['go-v/green', 'go', 3, 0, 0],
  ['go-v/none', 'go', 0, 0, 0],
  ['go-v/red', 'go', 4, 2, 2, ['TestWrong', 'TestTable/inner']],
  ['go-v/skip', 'go', 0, 0, 1],
  ['go-v/zero', 'go', 0, 0, 0],
  ['jest/broken', 'jest', 0, 1, 0],
  ['jest/coloured-red', 'jest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['jest/green', 'jest', 3, 0, 0],
  ['jest/none', 'jest', 0, 0, 0],
  ['jest/pass-with-none', 'jest', 0, 0, 0],
  ['jest/red', 'jest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['jest/skip', 'jest', 0, 0, 2],
  ['jest/two', 'jest', 5, 2, 2, ['sum > subtracts', 'sum > deep > fails too']],
  ['jest/verbose-red', 'jest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['jest/zero', 'jest', 0, 1, 0],
  ['jest-json/broken', 'jest', 0, 1, 0, ['/project/sum.test.js']],
  ['jest-json/green', 'jest', 3, 0, 0],
  ['jest-json/red', 'jest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['jest-json/skip', 'jest', 0, 0, 2],
  ['jest-json/two', 'jest', 5, 2, 2, ['sum > subtracts', 'sum > deep > fails too']],
  ['jest-json/zero', 'jest', 0, 1, 0, ['/project/sum.test.js']],
  ['mocha/broken'],
  ['mocha/coloured-red', 'mocha', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['mocha/crash'],
  ['mocha/dot-red', 'mocha', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['mocha/green', 'mocha', 3, 0, 0],
  ['mocha/red', 'mocha', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['mocha/skip', 'mocha', 0, 0, 2],
  ['mocha/tap-red', 'tap', 2, 2, 1, ['sum subtracts', 'sum deep fails too']],
  ['mocha/two', 'mocha', 5, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['mocha/xunit-red', 'junit', 2, 2, 1, ['sum > subtracts', 'sum deep > fails too']],
  ['mocha/zero', 'mocha', 0, 0, 0],
  ['nextest/documented-cancelled', 'nextest', 1, 1, 3, ['crate_b red::breaks']],
  ['nextest/documented-green', 'nextest', 3, 0, 1],
  ['nextest/documented-red', 'nextest', 3, 3, 2, ['crate_b red::breaks', 'crate_b dies::aborts', 'crate_b::it hangs']],
  ['nextest/documented-zero', 'nextest', 0, 0, 5],
  ['node-junit/broken', 'junit', 0, 1, 0, ['/project/broken.test.cjs']],
  ['node-junit/coloured-red', 'junit', 2, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-junit/green', 'junit', 4, 0, 0],
  ['node-junit/red', 'junit', 2, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-junit/skip', 'junit', 0, 0, 2],
  ['node-junit/two-files', 'junit', 6, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-spec/broken', 'node:test', 0, 1, 0, ['/project/broken.test.cjs']],
  ['node-spec/coloured-red', 'node:test', 2, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-spec/green', 'node:test', 5, 0, 0],
  ['node-spec/none', 'node:test', 0, 0, 0],
  ['node-spec/red', 'node:test', 2, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-spec/skip', 'node:test', 0, 0, 2],
  ['node-spec/two-files', 'node:test', 7, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-tap/broken', 'tap', 0, 1, 0, ['/project/broken.test.cjs']],
  ['node-tap/coloured-red', 'tap', 2, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-tap/green', 'tap', 5, 0, 0],
  ['node-tap/none', 'tap', 0, 0, 0],
  ['node-tap/red', 'tap', 2, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['node-tap/skip', 'tap', 0, 0, 2],
  ['node-tap/two-files', 'tap', 7, 2, 2, ['list > pushes', 'throws # not a comment']],
  ['phpunit/broken'],
  ['phpunit/coloured-green', 'phpunit', 2, 0, 0],
  [
    'phpunit/coloured-red',
    'phpunit',
    3,
    3,
    2,
    ['RedTest::testRaises', 'RedTest::testWrong', 'RedTest::testRows with data set "two" (2)'],
  ],
  ['phpunit/crash'],
  ['phpunit/green', 'phpunit', 2, 0, 0],
  [
    'phpunit/junit-red',
    'junit',
    2,
    4,
    2,
    ['RedTest > testWrong', 'RedTest > testRaises', 'RedTest > testNothing', 'RedTest > testRows with data set "two"'],
  ],
  [
    'phpunit/red',
    'phpunit',
    3,
    3,
    2,
    ['RedTest::testRaises', 'RedTest::testWrong', 'RedTest::testRows with data set "two" (2)'],
  ],
  ['phpunit/risky', 'phpunit', 2, 0, 0],
  ['phpunit/skip', 'phpunit', 0, 0, 1],
  ['phpunit/testdox-red', 'phpunit', 3, 3, 2],
  ['phpunit/zero', 'phpunit', 0, 0, 1],
  ['pytest/all-deselected', 'pytest', 0, 0, 0],
  ['pytest/broken', 'pytest', 0, 1, 0, ['test_sum.py']],
  [
    'pytest/coloured-red',
    'pytest',
    4,
    3,
    2,
    ['test_sum.py::test_wrong', 'test_sum.py::test_many[a b]', 'test_sum.py::test_uses'],
  ],
  ['pytest/crash'],
  ['pytest/deselected', 'pytest', 1, 0, 0],
  ['pytest/document-red', 'pytest', 4, 1, 0, ['README.md::README.md']],
  ['pytest/green', 'pytest', 2, 0, 0],
  [
    'pytest/junit-red',
    'junit',
    4,
    3,
    2,
    ['test_sum > test_wrong', 'test_sum > test_many[a b]', 'test_sum > test_uses'],
  ],
  ['pytest/quiet-broken', 'pytest', 0, 1, 0, ['test_sum.py']],
  ['pytest/quiet-crash'],
  ['pytest/quiet-green', 'pytest', 2, 0, 0],
  [
    'pytest/quiet-red',
    'pytest',
    4,
    3,
    2,
    ['test_sum.py::test_wrong', 'test_sum.py::test_many[a b]', 'test_sum.py::test_uses'],
  ],
  ['pytest/quiet-skip', 'pytest', 0, 0, 2],
  ['pytest/quiet-zero', 'pytest', 0, 0, 0],
  [
    'pytest/red',
    'pytest',
    4,
    3,
    2,
    ['test_sum.py::test_wrong', 'test_sum.py::test_many[a b]', 'test_sum.py::test_uses'],
  ],
  ['pytest/skip', 'pytest', 0, 0, 2],
  ['pytest/verbose-broken', 'pytest', 0, 1, 0, ['test_sum.py']],
  ['pytest/verbose-crash', 'pytest', 1, 1, 0, ['test_sum.py::test_wrong']],
  ['pytest/verbose-green', 'pytest', 2, 0, 0],
  [
    'pytest/verbose-red',
    'pytest',
    4,
    3,
    2,
    ['test_sum.py::test_wrong', 'test_sum.py::test_many[a b]', 'test_sum.py::test_uses'],
  ],
  ['pytest/verbose-skip', 'pytest', 0, 0, 2],
  ['pytest/verbose-zero', 'pytest', 0, 0, 0],
  ['pytest/zero', 'pytest', 0, 0, 0],
  ['rspec/broken', 'rspec', 0, 1, 0],
  ['rspec/coloured-red', 'rspec', 1, 2, 2, ['Sum adds', 'Sum raises']],
  ['rspec/crash'],
  ['rspec/documentation-red', 'rspec', 1, 2, 2, ['Sum adds', 'Sum raises']],
  ['rspec/green', 'rspec', 2, 0, 0],
  ['rspec/one', 'rspec', 0, 1, 0, ['S only']],
  ['rspec/red', 'rspec', 1, 2, 2, ['Sum adds', 'Sum raises']],
  ['rspec/skip', 'rspec', 0, 0, 2],
  ['rspec/zero', 'rspec', 0, 0, 0],
  ['unittest/broken', 'unittest', 0, 1, 0, ['unittest.loader._FailedTest.test_sum']],
  ['unittest/crash'],
  ['unittest/green', 'unittest', 2, 0, 0],
  [
    'unittest/red',
    'unittest',
    1,
    4,
    2,
    [
      'test_sum.Sum.test_raises',
      'test_sum.Sum.test_subs (i=1)',
      'test_sum.Sum.test_wrong',
      'test_sum.Sum.test_surprise',
    ],
  ],
  ['unittest/skip', 'unittest', 0, 0, 1],
  ['unittest/verbose-green', 'unittest', 2, 0, 0],
  [
    'unittest/verbose-red',
    'unittest',
    1,
    4,
    2,
    [
      'test_sum.Sum.test_raises',
      'test_sum.Sum.test_subs (i=1)',
      'test_sum.Sum.test_wrong',
      'test_sum.Sum.test_surprise',
    ],
  ],
  ['unittest/zero', 'unittest', 0, 0, 0],
  ['vitest/broken', 'vitest', 0, 1, 0],
  ['vitest/coloured-red', 'vitest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest/crash', 'vitest', 0, 1, 2],
  ['vitest/green', 'vitest', 3, 0, 0],
  ['vitest/none', 'vitest', 0, 0, 0],
  ['vitest/red', 'vitest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest/skip', 'vitest', 0, 0, 2],
  ['vitest/two', 'vitest', 5, 2, 2, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest/verbose-red', 'vitest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest/zero', 'vitest', 0, 1, 0],
  ['vitest-json/broken', 'vitest', 0, 1, 0, ['/project/sum.test.mjs']],
  ['vitest-json/green', 'vitest', 3, 0, 0],
  ['vitest-json/red', 'vitest', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest-json/skip', 'vitest', 0, 0, 2],
  ['vitest-json/two', 'vitest', 5, 2, 2, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest-json/zero', 'vitest', 0, 1, 0, ['/project/sum.test.mjs']],
  ['vitest-junit/green', 'junit', 3, 0, 0],
  ['vitest-junit/red', 'junit', 2, 2, 1, ['sum > subtracts', 'sum > deep > fails too']],
  ['vitest-junit/skip', 'junit', 0, 0, 2],
  ['vitest-tap/flat-red', 'tap', 2, 2, 1, ['sum.test.mjs > sum > subtracts', 'sum.test.mjs > sum > deep > fails too']],
  ['vitest-tap/red', 'tap', 2, 2, 1, ['sum.test.mjs > sum > subtracts', 'sum.test.mjs > sum > deep > fails too']],
];

function fixture(name: string): string {
  return readFileSync(join(FIXTURES, `${name}.txt`), 'utf8');
}

function isGreen(output: string): boolean {
  const parsed = parseTestOutput(output);
  return parsed !== undefined && parsed.passed > 0 && parsed.failed === 0;
}

describe('recorded output', () => {
  it.each(ROWS.map((row) => ({ name: row[0], row })))('[c51] $name', ({ name, row }) => {
    const [, framework, passed = 0, failed = 0, skipped = 0, failing = []] = row;
    const parsed = parseTestOutput(fixture(name));
    if (framework === undefined) {
      expect(parsed).toBeUndefined();
      return;
    }
    expect(parsed).toMatchObject({ framework, passed, failed, skipped, total: passed + failed + skipped });
    expect(parsed?.details.filter(isFailing).map((detail) => detail.name)).toEqual(failing);
  });

  it('has a row for each fixture', () => {
    const files = readdirSync(FIXTURES).flatMap((folder) =>
      readdirSync(join(FIXTURES, folder)).map((file) => `${folder}/${file.replace('.txt', '')}`),
    );
    expect(files.sort()).toEqual(ROWS.map(([name]) => name).sort());
  });

  it('reads the same with Windows line ends', () => {
    for (const [name] of ROWS) {
      const text = fixture(name);
      expect(parseTestOutput(text.replaceAll('\n', '\r\n')), name).toEqual(parseTestOutput(text));
    }
  });
});

describe('details', () => {
  it.each([
    ['cargo/red', 'red::breaks', 'assertion `left == right` failed: one is not two'],
    ['jest/red', 'sum > subtracts', 'expected 1 to be 2'],
    ['vitest/red', 'sum > deep > fails too', 'Error: deep down'],
    ['mocha/red', 'sum > deep > fails too', 'Error: deep down'],
    ['pytest/red', 'test_sum.py::test_many[a b]', "AssertionError: assert 'a b' == 'c'"],
    ['unittest/red', 'test_sum.Sum.test_raises', 'RuntimeError: boom'],
    ['phpunit/red', 'RedTest::testRaises', 'RuntimeException: boom'],
    ['go-plain/red', 'TestTable/inner', 'b_test.go:5: no'],
    ['node-tap/red', 'list > pushes', '1 !== 2'],
    ['node-junit/red', 'throws # not a comment', 'boom: 3 passed'],
    ['vitest-json/red', 'sum > subtracts', 'Error: expected 1 to be 2'],
  ])('[c51] %s says why %s failed', (name, test, error) => {
    const detail = parseTestOutput(fixture(name))?.details.find((one) => one.name === test);
    expect(detail?.error).toContain(error);
  });

  it.each([
    'cargo/red',
    'jest/red',
    'vitest/verbose-red',
    'mocha/red',
    'node-spec/red',
    'go-v/red',
    'bun/red',
    'ctest/red',
  ])('[c51] %s names the tests that passed, too', (name) => {
    const parsed = parseTestOutput(fixture(name));
    const passed = parsed?.details.filter((detail) => detail.status === 'passed');
    expect(passed?.length).toBeGreaterThan(0);
    expect(passed?.length).toBeLessThanOrEqual(parsed?.passed ?? 0);
  });

  it('carry durations in milliseconds', () => {
    const slow = parseTestOutput(fixture('ctest/red'))?.details.find((detail) => detail.name === 'slow');
    expect(slow?.durationMs).toBe(1000);
  });
});

describe('several runs in one output', () => {
  it('are added up, whichever came last', () => {
    for (const order of [
      ['jest/green', 'jest/red'],
      ['jest/red', 'jest/green'],
    ])
      expect(parseTestOutput(order.map(fixture).join('\n'))).toMatchObject({
        passed: 5,
        failed: 2,
        skipped: 1,
        total: 8,
      });
  });

  it('JUnit reports that share a line are all read', () => {
    const report = '<?xml version="1.0"?><testsuites><testsuite name="a"><testcase name="b"/></testsuite></testsuites>';
    const red = report.replace('<testcase name="b"/>', '<testcase name="c"><failure/></testcase>');
    expect(parseTestOutput(report + red)).toMatchObject({ passed: 1, failed: 1 });
    const bare = red.replace('<?xml version="1.0"?>', '');
    expect(isGreen(report + bare)).toBe(false);
  });

  it('[c51] of different frameworks are not mixed, and the red one is the answer', () => {
    const parsed = parseTestOutput(fixture('cargo/red') + fixture('pytest/green'));
    expect(parsed).toMatchObject({ framework: 'cargo', passed: 5, failed: 2 });
    expect(parseTestOutput(fixture('pytest/green') + fixture('cargo/red'))).toEqual(parsed);
  });

  it('a green run beside one that broke off is not green', () => {
    expect(parseTestOutput(fixture('cargo/crash') + fixture('pytest/green'))).toBeUndefined();
  });
});

describe('summaries in other words', () => {
  it.each([
    ['Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total', { framework: 'jest', passed: 3, total: 3 }],
    ['Test Suites: 1 passed, 1 total\nTests:       1,234 passed, 1,234 total', { passed: 1234 }],
    ['Test Suites: 1 failed, 1 total\nTests:       2 passed, 2 total', { passed: 2, failed: 1 }],
    ['===== 1 passed, 1 failed in 61.05s (0:01:01) =====', { framework: 'pytest', passed: 1, failed: 1 }],
    ['1 passed, 2 warnings in 0.01s', { framework: 'pytest', passed: 1, total: 1 }],
    ['Finished in 1 minute 2 seconds\n1,234 examples, 1 failure', { framework: 'rspec', passed: 1233, failed: 1 }],
    ['----\nRan 1 test in 0.1s\n\nFAILED (unexpected successes=1)', { framework: 'unittest', failed: 1, passed: 0 }],
    ['----\nRan 0 tests in 0.000s\n\nNO TESTS RAN', { framework: 'unittest', total: 0 }],
    ['error: No test modules found', { framework: 'deno', total: 0 }],
  ])('%j', (output, expected) => {
    expect(parseTestOutput(output)).toMatchObject(expected);
  });

  it.each([
    'Tests: 9 passed, 9 total',
    'we saw 3 passed in 0.1s today',
    'INFO test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
    '9 examples, 0 failures',
    'Ran 3 tests in 0.1s',
    'OK',
    'Tests: 3, Assertions: 3.',
    '{"numTotalTests":3,"numPassedTests":3,"testResults":[]}',
    '<html><testsuite/></html>',
    'ok 1 - a',
    '',
  ])('%j is no summary', (output) => {
    expect(parseTestOutput(output)).toBeUndefined();
  });
});

describe('reports that cannot be trusted', () => {
  it.each([
    ['an element that is not closed', '<testsuites><testsuite><testcase name="a"></testsuite></testsuites>'],
    ['an entity that is not known', '<testsuites><testcase name="&x;"/></testsuites>'],
    ['no end', '<testsuites><testcase name="a"/>'],
  ])('JUnit with %s is not green', (_, report) => {
    expect(parseTestOutput(report)).toBeUndefined();
  });

  it('JUnit that claims more failures than it lists is red', () => {
    expect(parseTestOutput('<testsuite failures="2"><testcase name="a"/></testsuite>')).toMatchObject({ failed: 2 });
  });

  it('JUnit with an error outside of any test is red', () => {
    expect(parseTestOutput('<testsuite><testcase name="a"/><error message="no"/></testsuite>')).toMatchObject({
      failed: 1,
    });
  });

  it('TAP with fewer tests than planned, without plan, or bailed out is not green', () => {
    for (const tail of ['1..2', '', '1..1\nBail out! no'])
      expect(parseTestOutput(`TAP version 13\nok 1 - a\n${tail}\n`)).toBeUndefined();
    expect(parseTestOutput('TAP version 13\nok 1 - a\nnot ok 2 - b\n')).toMatchObject({ failed: 1, passed: 1 });
  });

  it('of node:test with a file without tests, whose number it repeats, is green', () => {
    const tests = ['ok 1 - a', 'ok 2 - b', 'ok 2 - /p/test/helper.js', '1..3'];
    const counts = ['# tests 3', '# pass 3', '# fail 0', '# cancelled 0', '# skipped 0', '# todo 0'];
    const parsed = parseTestOutput(['TAP version 13', ...tests, ...counts].join('\n'));
    expect(parsed).toMatchObject({ passed: 3, failed: 0 });
    const red = parseTestOutput(['TAP version 13', 'not ok 1 - a', ...tests.slice(1), ...counts].join('\n'));
    expect(red?.failed).toBeGreaterThan(0);
  });

  it('TAP whose parent failed though its subtests passed is red', () => {
    const output = 'TAP version 13\n# Subtest: a\n    ok 1 - b\n    1..1\nnot ok 1 - a\n1..1\n';
    expect(parseTestOutput(output)).toMatchObject({ failed: 1 });
  });

  it('a Go test that failed though its subtests passed is red', () => {
    const output = '--- FAIL: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s\n';
    expect(parseTestOutput(output)).toMatchObject({ failed: 1, passed: 1 });
  });

  it('a Go test that failed once of several times is red', () => {
    const event = (action: string) => JSON.stringify({ Action: action, Package: 'example.com/a', Test: 'TestA' });
    const end = (action: string) => JSON.stringify({ Action: action, Package: 'example.com/a' });
    const output = [event('fail'), event('pass'), end('fail'), event('pass'), end('pass')].join('\n');
    expect(parseTestOutput(output)).toMatchObject({ failed: 1 });
    const plain = '--- FAIL: TestA (0.00s)\n--- PASS: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s\n';
    expect(parseTestOutput(plain)).toMatchObject({ failed: 1, passed: 0 });
  });

  it('a JSON report that says it failed is red', () => {
    const report = { numTotalTests: 1, numPassedTests: 1, snapshot: {}, success: false, testResults: [] };
    expect(parseTestOutput(JSON.stringify(report, undefined, 2))).toMatchObject({ failed: 1 });
  });
});

describe('damage', () => {
  const withText = ([name]: Row): [name: string, text: string] => [name, fixture(name)];
  const all = ROWS.map(withText);
  const red = ROWS.filter(([, , , failed = 0]) => failed > 0).map(withText);
  /** The others hold several runs, a test that printed a whole summary, or none of its failures before it. */
  const single = red.filter(
    ([name]) => !/^(?:cargo|go-|pytest\/(?!junit)|rspec|mocha\/dot|dotnet\/documented-red)/.test(name),
  );

  it.each(all)('any cut and any change of %s is read without a throw', (_, text) => {
    const place = fc.double({ min: 0, max: 1, noNaN: true }).map((share) => Math.floor(share * text.length));
    fc.assert(
      fc.property(place, place, fc.string({ maxLength: 20 }), (from, to, inserted) => {
        parseTestOutput(text.slice(0, from));
        parseTestOutput(text.slice(from));
        parseTestOutput(text.slice(0, from) + inserted + text.slice(to));
      }),
      { numRuns: 8 },
    );
  });

  it.each(single)('%s cut short anywhere is not green', (_, text) => {
    const step = Math.max(1, Math.floor(text.length / (process.env['PAWL_TEST_ALL'] === '1' ? 150 : 40)));
    const cuts = [...Array(text.length).keys()].filter((cut) => cut % step === 0 || text[cut] === '\n');
    expect(cuts.filter((cut) => isGreen(text.slice(0, cut)))).toEqual([]);
  });

  it('a JUnit report cut short anywhere is not green, even if nothing in it failed', () => {
    for (const name of ['node-junit/green', 'vitest-junit/green']) {
      const text = fixture(name).trimEnd();
      for (let cut = 0; cut < text.length; cut += 1) expect(isGreen(text.slice(0, cut))).toBe(false);
    }
  });

  it.each(red)('nothing printed after %s makes it green', (_, text) => {
    for (const [, later] of all.filter(([name]) => name.endsWith('/green')))
      expect(isGreen(`${text}\n${later}`)).toBe(false);
    fc.assert(
      fc.property(fc.string(), (later) => !isGreen(`${text}\n${later}`)),
      { numRuns: 5 },
    );
  });

  it('megabytes of what looks like the beginning of something are read in little time', () => {
    const hostile = [
      'a '.repeat(quickly(500_000)),
      '\u001b['.repeat(quickly(500_000)),
      `\u001b[${'1;'.repeat(quickly(500_000))}`,
      '='.repeat(quickly(1_000_000)),
    ];
    const lines = ['<testsuite>', '{', 'TAP version 13', '  1) a', '▶ a', '--- FAIL: a/b (0.00s)', 'running 1 test'];
    const deep = Array.from({ length: 1000 }, (_, depth) => `${'    '.repeat(depth)}ok 1 - a`).join('\n');
    const repeated = lines.map((line) => `${line}\n`.repeat(quickly(50_000)));
    const workedMs = cpuTimeMs(() => {
      for (const text of [...hostile, ...repeated, `TAP version 13\n${deep}\n1..1`]) parseTestOutput(text);
    });
    expect(workedMs).toBeLessThan(30_000);
  });
});

describe('a plan of no tests', () => {
  it.each(['1..0\n', '1..0 # SKIP nothing to do\n'])('%j says that none ran, with or without a version', (output) => {
    expect(parseTestOutput(output)).toMatchObject({ framework: 'tap', passed: 0, failed: 0 });
    expect(parseTestOutput(`TAP version 13\n${output}`)).toMatchObject({ passed: 0, failed: 0 });
  });
});

describe('a count that cannot be', () => {
  const JEST = '{"numTotalTestSuites":1,"numTotalTests":1,"numPassedTests":5,"numFailedTests":0,"numTodoTests":-1e308,';
  it.each([
    ['cargo', 'running 1 test\ntest result: ok. 18446744073709551616 passed; 0 failed; 0 ignored; 0 measured\n'],
    ['deno', 'running 1 test from ./a_test.ts\nok | 18446744073709551616 passed | 0 failed (30ms)\n'],
    ['vitest', `${JEST}"snapshot":{},"success":true,"testResults":[]}\n`],
  ])('in the summary of %s makes nothing green: the exit code decides', (_, output) => {
    expect(parseTestOutput(output)).toBeUndefined();
  });

  it('does not hide the tests that failed by name', () => {
    const red =
      'running 1 test\ntest a ... FAILED\ntest result: FAILED. 0 passed; 18446744073709551616 failed; 0 ignored\n';
    expect(parseTestOutput(red)).toMatchObject({ framework: 'cargo', failed: 1, total: 1 });
  });
});

describe('a name that every object has', () => {
  it.each(['__proto__', 'constructor', 'toString'])('%s is no outcome of a test', (word) => {
    const event = (action: string) => `{"Action":"${action}","Package":"p","Test":"TestA"}`;
    const go = `${event(word)}\n${event('pass')}\n{"Action":"pass","Package":"p"}\n`;
    expect(parseTestOutput(go)?.details).toEqual([{ name: 'TestA', file: 'p', status: 'passed' }]);
    const tests = `{"assertionResults":[{"title":"a","status":"${word}"}]}`;
    const report = `{"numTotalTests":1,"numPassedTests":0,"numFailedTests":0,"snapshot":{},"success":true,"testResults":[${tests}]}`;
    expect(parseTestOutput(`${report}\n`)?.details).toEqual([{ name: 'a', status: 'skipped' }]);
  });
});
