import type { IterationRow } from '../../wire/run-view.js';

/** For each iteration, how many tests passed when they were last inspected before it. */
export function passedBefore(
  rows: readonly Pick<IterationRow, 'testsPassed'>[],
  baseline: number | undefined,
): readonly (number | undefined)[] {
  let last = baseline;
  return rows.map(({ testsPassed }) => {
    const before = last;
    last = testsPassed ?? last;
    return before;
  });
}
