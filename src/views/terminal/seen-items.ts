import type { AttemptOutcome, ItemStatus } from '../../model/pipeline-event.js';
import type { EventOf, RunEvent } from '../../model/run-event.js';

const MOST_FAILURES = 5;

/** An attempt under way. */
export interface OpenAttempt {
  readonly item: string;
  readonly index: number;
  readonly attempt: number;
  readonly startedAt: string;
}

/** What an attempt came to, in its own words. */
export interface ToldAttempt {
  readonly outcome: AttemptOutcome;
  readonly reasons: readonly string[];
  readonly score?: number | undefined;
  readonly message?: string | undefined;
}

/** An item that is final and not approved, with what its last attempt came to. */
export interface FailedItem {
  readonly item: string;
  readonly index: number;
  readonly status: Exclude<ItemStatus, 'approved'>;
  readonly attempts: number;
  readonly last?: ToldAttempt | undefined;
}

/** What the state of a pipeline does not keep and people want to see: a fold of the record, too. */
export interface SeenItems {
  /** Those that began first stand first. */
  readonly open: readonly OpenAttempt[];
  /** The last ones, the newest last. */
  readonly failures: readonly FailedItem[];
  /** What the last attempt at each item that is not final came to, by index. */
  readonly told: Readonly<Record<string, ToldAttempt>>;
}

export const NO_ITEMS_SEEN: SeenItems = Object.freeze({ open: [], failures: [], told: {} });

export function foldItems(seen: SeenItems, event: RunEvent): SeenItems {
  switch (event.type) {
    case 'attempt-started':
      return attemptStarted(seen, event);
    case 'attempt-ended':
      return attemptEnded(seen, event);
    case 'item-ended': {
      const failed = failedItem(seen, event);
      const { [String(event.index)]: _final, ...told } = seen.told;
      const failures = failed === undefined ? seen.failures : [...seen.failures, failed].slice(-MOST_FAILURES);
      return { ...seen, told, failures };
    }
    case 'item-reopened':
      return { ...seen, failures: seen.failures.filter(({ index }) => index !== event.index) };
    default:
      return seen;
  }
}

/** Undefined when the item was approved. `seen`: before the event. */
export function failedItem(seen: SeenItems, event: EventOf<'item-ended'>): FailedItem | undefined {
  const { item, index, status, attempts } = event;
  return status === 'approved' ? undefined : { item, index, status, attempts, last: seen.told[String(index)] };
}

function attemptStarted(seen: SeenItems, { item, index, attempt, at }: EventOf<'attempt-started'>): SeenItems {
  if (index === undefined) return seen;
  const others = seen.open.filter((open) => open.index !== index);
  return { ...seen, open: [...others, { item, index, attempt, startedAt: at }] };
}

function attemptEnded(seen: SeenItems, event: EventOf<'attempt-ended'>): SeenItems {
  const { index } = event;
  if (index === undefined) return seen;
  const open = seen.open.filter((each) => each.index !== index);
  if (event.outcome === 'interrupted' || event.outcome === 'limited') return { ...seen, open };
  return { ...seen, open, told: { ...seen.told, [index]: toldAttempt(event) } };
}

export function toldAttempt({ outcome, reasons = [], score, message }: EventOf<'attempt-ended'>): ToldAttempt {
  return { outcome, reasons, score, message };
}
