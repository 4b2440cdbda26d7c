import type { CellStatus } from './item-cells.js';

export const CELL_WORDS: Readonly<Record<CellStatus, string>> = {
  approved: 'approved',
  rejected: 'rejected',
  failed: 'failed',
  'in-flight': 'in progress',
  retried: 'to be tried again',
  waiting: 'not started',
  withdrawn: 'withdrawn',
};
