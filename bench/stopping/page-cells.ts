import type { Expectation } from './expected/expectation.js';
import type { Outcome } from './judge.js';

export const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Where a person wants the run to stop, and how. */
export function wanted(expected: Expectation | undefined): string {
  if (expected === undefined) return '';
  const [from, to] = expected.calls;
  const where = expected.isWithin === true ? `within ${to}` : from === to ? String(to) : `${from} to ${to}`;
  return `${where}, ${expected.ends}`;
}

/** Where it stopped, and how. */
export const shown = ({ calls, ending, place }: Outcome) =>
  place === 'never' ? `did not stop (${calls})` : `${calls}, ${ending}`;
