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
export interface AttemptReport {
  readonly outcome: AttemptOutcome;
  readonly reasons: readonly string[];
  readonly score?: number | undefined;
  readonly message?: string | undefined;
  /** The last line that was printed, where nothing else explains it. */
  readonly printed?: string | undefined;
}

/** An item that is final and not approved, with what its last attempt came to. */
export interface FailedItem {
  readonly item: string;
  readonly index: number;
  readonly status: Exclude<ItemStatus, 'approved'>;
  readonly attempts: number;
  readonly last?: AttemptReport | undefined;
}

/** What the state of a pipeline does not keep and people want to see: computed from the record, too. */
export interface ShownItems {
  /** In the order in which they began. */
  readonly open: readonly OpenAttempt[];
  readonly retried: readonly RetriedItem[];
  /** The last ones, the newest last. */
  readonly failures: readonly FailedItem[];
  /** What the last attempt at each item that is not final came to, by index. */
  readonly lastReports: Readonly<Record<string, AttemptReport>>;
}

export const NO_ITEMS: ShownItems = Object.freeze({ open: [], retried: [], failures: [], lastReports: {} });

export function reduceItems(seen: ShownItems, event: RunEvent): ShownItems {
  switch (event.type) {
    case 'attempt-started':
      return attemptStarted(seen, event);
    case 'attempt-ended':
      return attemptEnded(seen, event);
    case 'item-ended': {
      const failed = failedItem(seen, event);
      const { [String(event.index)]: _final, ...lastReports } = seen.lastReports;
      const failures = failed === undefined ? seen.failures : [...seen.failures, failed].slice(-MOST_FAILURES);
      return { ...seen, retried: without(seen.retried, event.index), lastReports: lastReports, failures };
    }
    case 'item-reopened':
      return { ...seen, failures: without(seen.failures, event.index) };
    case 'resumed':
    case 'run-resumed':
      // Resuming starts the waits again.
      return { ...seen, retried: seen.retried.map((item) => ({ ...item, since: event.at })) };
    default:
      return seen;
  }
}

/** Undefined when the item was approved. `seen`: before the event. */
export function failedItem(seen: ShownItems, event: EventOf<'item-ended'>): FailedItem | undefined {
  const { item, index, status, attempts } = event;
  return status === 'approved' ? undefined : { item, index, status, attempts, last: seen.lastReports[String(index)] };
}

function attemptStarted(seen: ShownItems, { item, index, attempt, at }: EventOf<'attempt-started'>): ShownItems {
  if (index === undefined) return seen;
  const open = [...without(seen.open, index), { item, index, attempt, startedAt: at }];
  return { ...seen, open, retried: without(seen.retried, index) };
}

function attemptEnded(seen: ShownItems, event: EventOf<'attempt-ended'>): ShownItems {
  const { index } = event;
  if (index === undefined) return seen;
  const open = without(seen.open, index);
  if (event.outcome === 'interrupted' || isRefusal(event.outcome)) return { ...seen, open };
  const others = without(seen.retried, index);
  const isRetried = event.outcome === 'retry' || event.outcome === 'failed';
  const { item, attempt, at } = event;
  const retried = isRetried ? [...others, { item, index, attempt: attempt + 1, since: at }] : others;
  return { ...seen, open, retried, lastReports: { ...seen.lastReports, [index]: attemptReport(event) } };
}

function without<T extends { readonly index: number }>(items: readonly T[], index: number): readonly T[] {
  return items.filter((item) => item.index !== index);
}

export function attemptReport({
  outcome,
  reasons = [],
  score,
  message,
  output,
}: EventOf<'attempt-ended'>): AttemptReport {
  const isExplained = reasons.length > 0 || (message ?? '') !== '';
  const printed = isExplained ? undefined : lastPrinted(output);
  return { outcome, reasons, score, message, ...(printed === undefined ? {} : { printed }) };
}

/** The last line that is for people: verdicts and figures are printed as JSON. */
function lastPrinted(output = ''): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !/^\{.*\}$/.test(line))?.slice(0, MOST_PRINTED_CHARACTERS);
}
