import { describe, expect, it } from 'vitest';
import type { IterationOutcome } from '../../../../model/run-event.js';
import { stripBlocks } from './strip-blocks.js';

const rows = (...outcomes: readonly IterationOutcome[]) => outcomes.map((outcome) => ({ outcome }));

describe('the strip of iterations', () => {
  it('has a block for each while there is room', () => {
    const blocks = stripBlocks([...rows('completed', 'failed'), { outcome: 'completed', madeProgress: false }], 100);
    expect(blocks.map(({ kind }) => kind)).toEqual(['completed', 'failed', 'no-progress']);
  });

  it('shows one failure among thousands', () => {
    const outcomeOf = (index: number): IterationOutcome => (index === 7001 ? 'failed' : 'completed');
    const many = rows(...Array.from({ length: 10_000 }, (_, index) => outcomeOf(index)));
    const blocks = stripBlocks(many, 500);
    expect(blocks).toHaveLength(500);
    expect(blocks.filter(({ kind }) => kind === 'failed')).toEqual([{ kind: 'failed', first: 7000, rows: 20 }]);
    expect(blocks.reduce((sum, block) => sum + block.rows, 0)).toBe(10_000);
  });

  it('of a run without any is empty', () => {
    expect(stripBlocks([], 500)).toEqual([]);
  });
});
