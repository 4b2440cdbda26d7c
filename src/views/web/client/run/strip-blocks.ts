import type { IterationOutcome } from '../../../../model/run-event.js';
import type { IterationRow } from '../../wire/run-view.js';

/** How a block is coloured: a completed iteration also by whether it got anywhere. */
export type BlockKind = IterationOutcome | 'no-progress';

export interface StripBlock {
  readonly kind: BlockKind;
  /** The first row of those that it represents, and how many they are. */
  readonly first: number;
  readonly rows: number;
}

/** What stands out most comes first. */
const LOUDEST: readonly BlockKind[] = [
  'failed',
  'timed-out',
  'limited',
  'interrupted',
  'skipped',
  'completed',
  'no-progress',
];

export function blockKind({ outcome, madeProgress }: Pick<IterationRow, 'outcome' | 'madeProgress'>): BlockKind {
  return outcome === 'completed' && madeProgress === false ? 'no-progress' : outcome;
}

/** One block for each iteration, or for several of them where there are more than `most`: it shows the loudest. */
export function stripBlocks(
  rows: readonly Pick<IterationRow, 'outcome' | 'madeProgress'>[],
  most: number,
): readonly StripBlock[] {
  const blocks = Math.min(rows.length, Math.max(1, most));
  return Array.from({ length: blocks }, (_, block) => {
    const first = Math.floor((block * rows.length) / blocks);
    const after = Math.floor(((block + 1) * rows.length) / blocks);
    const kinds = new Set(rows.slice(first, after).map(blockKind));
    return { kind: LOUDEST.find((kind) => kinds.has(kind)) ?? 'completed', first, rows: after - first };
  });
}
