import type { BlockKind } from './strip-blocks.js';

export const BLOCK_WORDS: Readonly<Record<BlockKind, string>> = {
  completed: 'completed',
  'no-progress': 'completed without progress',
  failed: 'failed',
  'timed-out': 'timed out',
  skipped: 'skipped',
  interrupted: 'interrupted',
  limited: 'limited',
};
