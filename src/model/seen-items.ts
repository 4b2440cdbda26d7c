import type { AttemptOutcome, EventOf, ItemStatus, RunEvent } from './run-event.js';
import { isRefusal } from './wait-policy.js';

const MOST_FAILURES = 5;
const MOST_PRINTED_CHARACTERS = 400;

/** An attempt under way. */
export interface OpenAttempt {
  readonly item: string;
  readonly index: number;
  readonly attempt: number;
  readonly startedAt: string;
}

/** An item whose last attempt ended and that is not final: the next attempt comes after a while. */
export interface RetriedItem {
  readonly item: string;
  readonly index: number;
  /** The next one. */
  readonly attempt: number;
  /** When its wait began. */
  readonly since: string;
}

/** What an attempt came to, in its own words. */
export interface ToldAttempt {
  readonly outcome: AttemptOutcome;
  readonly reasons: readonly string[];
  readonly score?: number | undefined;
  readonly message?: string | undefined;
  /** The last line that was printed, where nothing else tells why. */
  readonly printed?: string | undefined;
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
  readonly retried: readonly RetriedItem[];
  /** The last ones, the newest last. */
  readonly failures: readonly FailedItem[];
  /** What the last attempt at each item that is not final came to, by index. */
  readonly told: Readonly<Record<string, ToldAttempt>>;
}

export const NO_ITEMS_SEEN: SeenItems = Object.freeze({ open: [], retried: [], failures: [], told: {} });

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
      return { ...seen, retried: without(seen.retried, event.index), told, failures };
    }
    case 'item-reopened':
      return { ...seen, failures: without(seen.failures, event.index) };
    case 'resumed':
    case 'run-resumed':
      // Whoever goes on waits anew.
      return { ...seen, retried: seen.retried.map((item) => ({ ...item, since: event.at })) };
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
  const open = [...without(seen.open, index), { item, index, attempt, startedAt: at }];
  return { ...seen, open, retried: without(seen.retried, index) };
}

function attemptEnded(seen: SeenItems, event: EventOf<'attempt-ended'>): SeenItems {
  const { index } = event;
  if (index === undefined) return seen;
  const open = without(seen.open, index);
  if (event.outcome === 'interrupted' || isRefusal(event.outcome)) return { ...seen, open };
  const others = without(seen.retried, index);
  const isRetried = event.outcome === 'retry' || event.outcome === 'failed';
  const { item, attempt, at } = event;
  const retried = isRetried ? [...others, { item, index, attempt: attempt + 1, since: at }] : others;
  return { ...seen, open, retried, told: { ...seen.told, [index]: toldAttempt(event) } };
}

function without<T extends { readonly index: number }>(items: readonly T[], index: number): readonly T[] {
  return items.filter((item) => item.index !== index);
}

export function toldAttempt({ outcome, reasons = [], score, message, output }: EventOf<'attempt-ended'>): ToldAttempt {
  const isTold = reasons.length > 0 || (message ?? '') !== '';
  const printed = isTold ? undefined : lastPrinted(output);
  return { outcome, reasons, score, message, ...(printed === undefined ? {} : { printed }) };
}

/** The last line that is for people: verdicts and figures are told as JSON. */
function lastPrinted(output = ''): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !/^\{.*\}$/.test(line))?.slice(0, MOST_PRINTED_CHARACTERS);
}
