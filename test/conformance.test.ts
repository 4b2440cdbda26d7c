import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRITERIA_COUNT, conformanceRows, disagreements } from './architecture/conformance.js';
import { isTest, parseSource, ROOT, sourcesIn } from './architecture/source-file.js';
import { testTitles } from './architecture/test-title.js';

const TABLE = join(ROOT, 'docs', 'conformance.md');

describe('conformance', () => {
  it('every criterion has a row, and a test that runs unless it is not yet met', () => {
    const rows = existsSync(TABLE) ? conformanceRows(readFileSync(TABLE, 'utf8')) : [];
    const tests = [...sourcesIn('src'), ...sourcesIn('test')].filter(isTest);
    expect(disagreements(rows, tests.flatMap(testTitles))).toEqual([]);
  });

  it('every test file that the table names is there', () => {
    const named = existsSync(TABLE) ? readFileSync(TABLE, 'utf8').matchAll(/[\w./-]+\.test\.ts/g) : [];
    expect([...named].map(([path]) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('the check itself notices', () => {
  const allRows = Array.from({ length: CRITERIA_COUNT }, (_, index) => ({ number: index + 1, isNotYet: index !== 0 }));
  const tested = (code: string) => testTitles(parseSource('test/a.test.ts', code));
  const oneTest = tested("it('[c1] works', () => {});");

  it('nothing wrong where nothing is', () => {
    expect(disagreements(allRows, oneTest)).toEqual([]);
  });

  it('a missing row, a second row and a row too many', () => {
    expect(disagreements(allRows.slice(0, -1), oneTest)).toEqual(['criterion 70 has no row']);
    expect(disagreements([...allRows, { number: 70, isNotYet: true }], oneTest)).toEqual(['criterion 70 has 2 rows']);
    expect(disagreements([...allRows, { number: 71, isNotYet: true }], oneTest)).toEqual(['there is no criterion 71']);
  });

  it.each([
    '',
    "it('works', () => {}); // [c1]",
    "it.skip('[c1] works', () => {});",
    "it.todo('[c1] works');",
    "it.skipIf(true)('[c1] works', () => {});",
    "it.skip.each([1])('[c1] works', () => {});",
    "describe.skip('a', () => { describe('b', () => { it('[c1] works', () => {}); }); });",
    "describe('[c1]', () => {});",
  ])('a criterion whose tests are: %s', (code) => {
    expect(disagreements(allRows, tested(code))).toHaveLength(1);
  });

  it.each([
    "test('[c1] works', () => {});",
    "it.each([{ skip: 1 }])('[c1] %s', () => {});",
    "it.concurrent('works [c1]', () => {});",
    'it(`[c1] on ${machine}`, () => {});',
    "describe.each([1])('a', () => { it('[c1] works', () => {}); });",
    "it.skip('[c1] works', () => {}); it('[c1] works too', () => {});",
  ])('no fault in: %s', (code) => {
    expect(disagreements(allRows, tested(code))).toEqual([]);
  });

  it('a test of a criterion that is not yet met, and of none', () => {
    expect(disagreements(allRows, [...oneTest, ...tested("it('[c2] works', () => {});")])).toHaveLength(1);
    expect(disagreements(allRows, [...oneTest, ...tested("it('[c71] works', () => {});")])).toHaveLength(1);
  });

  it('rows as they are written', () => {
    const table = '| nr | what |\n|---|---|\n| 1 | Types | `[c1]` | |\n|12| Patterns | not yet (issue 3) | |\n';
    expect(conformanceRows(table)).toEqual([
      { number: 1, isNotYet: false },
      { number: 12, isNotYet: true },
    ]);
  });
});
