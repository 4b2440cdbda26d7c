import { describe, expect, it } from 'vitest';
import type { IterationRow } from '../../wire/run-view.js';
import { limitIn, plain, positions, summed } from './chart-columns.js';

const row = (iteration: number, rest: Partial<IterationRow> = {}): IterationRow => ({
  iteration,
  try: 1,
  outcome: 'completed',
  startedAt: `2026-02-14T23:12:0${iteration}.000Z`,
  durationMs: 500,
  activeMs: 500 * iteration,
  isEstimated: false,
  seq: iteration * 10,
  ...rest,
});

describe('what charts are made of', () => {
  const rows = [
    row(1, { costUsd: 0.5, testsPassed: 3 }),
    row(2),
    row(3, { costUsd: 0.25, testsPassed: 5, testsFailed: 1 }),
  ];

  it('is summed up for what is spent', () => {
    expect(summed(rows, [1, 2, 3], 'costUsd')?.series).toEqual([[0.5, 0.5, 0.75]]);
  });

  it('has what reviews spent by then', () => {
    const reviewed = [row(1, { costUsd: 0.5, reviewsCostUsd: 0.25 }), row(2, { costUsd: 0.5, reviewsCostUsd: 1 })];
    expect(summed(reviewed, [1, 2], 'costUsd')?.series).toEqual([[0.75, 2]]);
  });

  it('has gaps where nothing is known, and is not there where nothing ever was', () => {
    expect(plain(rows, [1, 2, 3], 'testsPassed', 'testsFailed')?.series).toEqual([
      [3, null, 5],
      [null, null, 1],
    ]);
    expect(plain(rows, [1, 2, 3], 'contextPercent')).toBeUndefined();
    expect(summed(rows, [1, 2, 3], 'totalTokens')).toBeUndefined();
  });

  it('stands at its iteration, or at the time of its end', () => {
    expect(positions(rows, 'iteration')).toEqual([1, 2, 3]);
    expect(positions(rows, 'time')[0]).toBe(Date.parse('2026-02-14T23:12:01.500Z') / 1000);
  });

  it('ends at the lowest limit', () => {
    const limits = [{ type: 'max_cost', usd: 5 } as const, { type: 'max_cost', usd: 2 } as const];
    expect(limitIn({ success: [], failure: [], limits }, 'costUsd')).toBe(2);
    expect(limitIn({ success: [], failure: [], limits }, 'totalTokens')).toBeUndefined();
  });
});
