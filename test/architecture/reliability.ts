import type { TestTitle } from './test-title.js';

/** Rows of the list of faults. */
export const FAULT_COUNT = 27;

export interface ReliabilityRow {
  readonly number: number;
  readonly isUncovered: boolean;
  /** The tests that show it: a file, and words of a title in it. */
  readonly shownBy: readonly { readonly path: string; readonly words: string }[];
}

/** The rows of the table: `| 4 | fault | "title" in `file` | quick | full | result |`. */
export function reliabilityRows(text: string): readonly ReliabilityRow[] {
  return [...text.matchAll(/^\|\s*(\d+)\s*\|(.*)$/gm)].map(([, number, rest = '']) => {
    const cell = rest.split('|')[1] ?? '';
    const named = [...cell.matchAll(/"([^"]+)" in `([\w./-]+\.test\.ts)`/g)];
    return {
      number: Number(number),
      isUncovered: /\bnot covered\b/.test(rest),
      shownBy: named.map(([, words = '', path = '']) => ({ path, words })),
    };
  });
}

/** Where the table and the tests disagree, each as a sentence. */
export function wrongRows(rows: readonly ReliabilityRow[], titles: readonly TestTitle[]): readonly string[] {
  const numbers = Array.from({ length: FAULT_COUNT }, (_, index) => index + 1);
  return [
    ...numbers.flatMap((number) => {
      const count = rows.filter((row) => row.number === number).length;
      return count === 1 ? [] : [`fault ${number} has ${count} rows`];
    }),
    ...rows.filter(({ number }) => !numbers.includes(number)).map(({ number }) => `there is no fault ${number}`),
    ...rows.filter(isEmpty).map(({ number }) => `fault ${number} names no test and is not said to be "not covered"`),
    ...rows.flatMap(({ number, shownBy }) =>
      shownBy
        .filter(({ path, words }) => !titles.some((one) => one.path === path && one.title.includes(words)))
        .map(({ path, words }) => `fault ${number}: no test of ${path} is called "${words}"`),
    ),
  ];
}

function isEmpty({ isUncovered, shownBy }: ReliabilityRow): boolean {
  return !isUncovered && shownBy.length === 0;
}
