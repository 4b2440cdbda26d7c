import type { TestTitle } from './test-title.js';

/** A numbered list of the table's file, whose tests carry `[<letter><number>]` in their titles. */
export interface NumberedList {
  readonly noun: string;
  readonly letter: string;
  /** What stands before the number in the first cell of a row. */
  readonly rowPrefix: string;
  readonly count: number;
}

export const CRITERIA: NumberedList = { noun: 'criterion', letter: 'c', rowPrefix: '', count: 70 };
export const PAINS: NumberedList = { noun: 'pain', letter: 'p', rowPrefix: 'p', count: 25 };

export interface ConformanceRow {
  readonly number: number;
  readonly isNotYet: boolean;
  /** The test files that show it. */
  readonly shownBy: readonly string[];
}

type NumberedTest = TestTitle & { readonly number: number };

/** The rows of a list: `| 17 | text | test | note |`. */
export function conformanceRows(text: string, list: NumberedList): readonly ConformanceRow[] {
  const row = new RegExp(`^\\|\\s*${list.rowPrefix}(\\d+)\\s*\\|(.*)$`, 'gm');
  return [...text.matchAll(row)].map(([, number, rest = '']) => ({
    number: Number(number),
    isNotYet: /\bnot yet\b/i.test(rest),
    shownBy: rest.split('|')[1]?.match(/[\w./-]+\.test\.ts/g) ?? [],
  }));
}

/** Where the table and the tests disagree, each as a sentence. */
export function disagreements(
  list: NumberedList,
  rows: readonly ConformanceRow[],
  titles: readonly TestTitle[],
): readonly string[] {
  const tests = titles.flatMap((test) => numbersIn(test.title, list).map((number) => ({ number, ...test })));
  const numbers = Array.from({ length: list.count }, (_, index) => index + 1);
  return [
    ...numbers.flatMap((number) => wrongWith(`${list.noun} ${number}`, rowsOf(rows, number), rowsOf(tests, number))),
    ...rows.filter((row) => !numbers.includes(row.number)).map((row) => `there is no ${list.noun} ${row.number}`),
    ...tests
      .filter((test) => !numbers.includes(test.number))
      .map((test) => `[${list.letter}${test.number}] in ${test.path} is none`),
  ];
}

function rowsOf<T extends { readonly number: number }>(all: readonly T[], number: number): readonly T[] {
  return all.filter((candidate) => candidate.number === number);
}

function wrongWith(
  name: string,
  [row, ...more]: readonly ConformanceRow[],
  tests: readonly NumberedTest[],
): readonly string[] {
  if (row === undefined) return [`${name} has no row`];
  if (more.length > 0) return [`${name} has ${more.length + 1} rows`];
  if (row.isNotYet) return tests.map((test) => `${name} is "not yet", but ${test.path} has a test of it`);
  if (tests.length === 0) return [`${name} has no test: no title carries its number`];
  const running = tests.filter((test) => !test.isSkipped).map(({ path }) => path);
  if (running.length === 0) return [`every test of ${name} is skipped`];
  return row.shownBy
    .filter((path) => !running.includes(path))
    .map((path) => `${path} has no test of ${name} that runs`);
}

export function numbersIn(title: string, { letter }: NumberedList): readonly number[] {
  return [...title.matchAll(new RegExp(`\\[${letter}(\\d+)\\]`, 'g'))].map((match) => Number(match[1]));
}
