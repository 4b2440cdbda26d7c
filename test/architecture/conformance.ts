import type { TestTitle } from './test-title.js';

export interface ConformanceRow {
  readonly number: number;
  readonly isNotYet: boolean;
}

export const CRITERIA_COUNT = 70;

/** The rows of the table: `| 17 | text | test | note |`. */
export function conformanceRows(text: string): readonly ConformanceRow[] {
  return [...text.matchAll(/^\|\s*(\d+)\s*\|(.*)$/gm)].map(([, number, rest = '']) => ({
    number: Number(number),
    isNotYet: /\bnot yet\b/i.test(rest),
  }));
}

/** Where the table and the tests disagree, each as a sentence. */
export function disagreements(rows: readonly ConformanceRow[], titles: readonly TestTitle[]): readonly string[] {
  const tests = titles.flatMap((test) => numbersIn(test.title).map((number) => ({ number, ...test })));
  const numbers = Array.from({ length: CRITERIA_COUNT }, (_, index) => index + 1);
  return [
    ...numbers.flatMap((number) => wrongWith(number, rows, tests)),
    ...rows.filter((row) => !numbers.includes(row.number)).map((row) => `there is no criterion ${row.number}`),
    ...tests
      .filter((test) => !numbers.includes(test.number))
      .map((test) => `[c${test.number}] in ${test.path} is none`),
  ];
}

function wrongWith(
  number: number,
  rows: readonly ConformanceRow[],
  tests: readonly (TestTitle & { readonly number: number })[],
): readonly string[] {
  const [row, ...more] = rows.filter((candidate) => candidate.number === number);
  if (row === undefined) return [`criterion ${number} has no row`];
  if (more.length > 0) return [`criterion ${number} has ${more.length + 1} rows`];
  const own = tests.filter((test) => test.number === number);
  if (row.isNotYet) return own.map((test) => `criterion ${number} is "not yet", but ${test.path} has a test of it`);
  if (own.length === 0) return [`criterion ${number} has no test: no title carries [c${number}]`];
  return own.every((test) => test.isSkipped) ? [`every test of criterion ${number} is skipped`] : [];
}

function numbersIn(title: string): readonly number[] {
  return [...title.matchAll(/\[c(\d+)\]/g)].map((match) => Number(match[1]));
}
