import type { Turn } from './story.js';

type Turns = Readonly<Record<number, Turn>>;

/** The same for every iteration from one to another. */
export function throughout(first: number, last: number, turn: Turn | ((iteration: number) => Turn)): Turns {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return Object.fromEntries(
    numbers.map((iteration) => [iteration, typeof turn === 'function' ? turn(iteration) : turn]),
  );
}

/** A diary is all that changes. */
export function notesOnly(first: number, last: number): Turns {
  return throughout(first, last, {
    says: 'Wrote down in NOTES.md what I will try next.',
    changes: { modified: ['NOTES.md'], changedLines: 4 },
  });
}

/** How full the context window is, iteration by iteration. */
export function context(percents: readonly number[]): Turns {
  return Object.fromEntries(percents.map((contextPercent, index) => [index + 1, { contextPercent }]));
}

/** In these iterations a test fails that passes without a change, and in the others it passes. */
export function flaky(name: string, count: number, failsIn: readonly number[]): Turns {
  return throughout(1, count, (iteration) => (failsIn.includes(iteration) ? { fails: [name] } : { passes: [name] }));
}
