import { eachItem, type ItemState } from '../../../../model/item-state.js';
import type { PipelineState } from '../../../../model/pipeline-state.js';
import type { ShownItems, AttemptReport } from '../../../../model/shown-items.js';
import { whyText } from '../../../../words/attempt-text.js';

export const CELL_STATUSES = [
  'approved',
  'rejected',
  'failed',
  'in-flight',
  'retried',
  'waiting',
  'withdrawn',
] as const;

export type CellStatus = (typeof CELL_STATUSES)[number];

/** One item as the grid shows it. */
export interface ItemCell {
  readonly index: number;
  /** Its name, which is known when it has begun. */
  readonly item?: string | undefined;
  readonly status: CellStatus;
  readonly attempts: number;
  /** Why its last attempt was not approved. */
  readonly why: string;
}

/** Every item of a pipeline in order, also those that have not begun. */
export function itemCells(pipeline: PipelineState | undefined, seen: ShownItems): readonly ItemCell[] {
  const cells: ItemCell[] = Array.from({ length: pipeline?.items ?? 0 }, (_, index) => ({
    index,
    status: 'waiting',
    attempts: 0,
    why: '',
  }));
  const { open, retried, failures } = seen;
  const told = new Map(failures.map(({ index, last }) => [index, last]));
  const inFlight = new Set(open.map(({ index }) => index));
  const again = new Set(retried.map(({ index }) => index));
  for (const [index, state] of eachItem(pipeline?.states)) {
    if (index >= cells.length) continue;
    const status = statusOf(state, inFlight.has(index), again.has(index));
    cells[index] = {
      index,
      item: state.item,
      status,
      attempts: state.attempts.length,
      why: whyOf(state, told.get(index)),
    };
  }
  return cells;
}

function statusOf({ status, isWithdrawn }: ItemState, isOpen: boolean, isRetried: boolean): CellStatus {
  if (isWithdrawn === true) return 'withdrawn';
  if (status !== undefined) return status;
  if (isOpen) return 'in-flight';
  return isRetried ? 'retried' : 'waiting';
}

/** What was said of the last items that failed is known in full. */
function whyOf({ attempts, feedback }: ItemState, told: AttemptReport | undefined): string {
  if (told !== undefined) return whyText(told);
  const last = attempts.at(-1);
  if (last === undefined || last.outcome === 'approved') return '';
  return whyText({ reasons: last.reasons ?? [], score: last.score, message: feedback?.message });
}
