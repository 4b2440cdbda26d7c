import { describe, expect, it } from 'vitest';
import { withItem } from '../../../../model/item-state.js';
import type { PipelineState } from '../../../../model/pipeline-state.js';
import { NO_ITEMS } from '../../../../model/shown-items.js';
import { itemCells } from './item-cells.js';

const failed = { outcome: 'failed', reasons: ['DARK'], score: 0.5, durationMs: 5 } as const;
const approved = { item: 'a', status: 'approved', attempts: [failed, { outcome: 'approved', durationMs: 1 }] } as const;
const states = [
  [0, approved],
  [1, { item: 'b', status: 'failed', attempts: [failed], feedback: { message: 'more light' } }],
  [2, { item: 'c', attempts: [], openTries: 0 }],
  [4, { item: 'e', attempts: [failed] }],
  [99, { item: 'z', attempts: [] }],
] as const;

const pipeline: PipelineState = {
  items: 6,
  approved: 1,
  rejected: 0,
  failed: 1,
  withRetries: 1,
  attempts: 4,
  consecutiveFails: 1,
  states: states.reduce((all, [index, state]) => withItem(all, index, state), {}),
};

describe('the cells of a pipeline', () => {
  const seen = {
    ...NO_ITEMS,
    open: [{ item: 'c', index: 2, attempt: 1, startedAt: '' }],
    retried: [{ item: 'e', index: 4, attempt: 2, since: '' }],
  };
  const cells = itemCells(pipeline, seen);

  it('are one for each item, begun or not, and none beyond them', () => {
    expect(cells.map(({ status }) => status)).toEqual([
      'approved',
      'failed',
      'in-flight',
      'waiting',
      'retried',
      'waiting',
    ]);
    expect(cells[3]?.item).toBeUndefined();
  });

  it('say why an item was not approved, and nothing of one that was', () => {
    expect([cells[0]?.why, cells[1]?.why]).toEqual(['', 'DARK, score 0.5: more light']);
  });
});
