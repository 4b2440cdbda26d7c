import type { ItemState } from '../model/item-state.js';
import type { NewEvent, ItemStatus } from '../model/run-event.js';
import type { Item } from './item.js';
import type { AttemptEnd, AttemptTask } from './attempt-task.js';
import { isRefusal } from '../model/wait-policy.js';

/** What working on one item needs. */
export interface ItemWork {
  readonly item: Item;
  readonly index: number;
  readonly maxAttempts: number;
  /** As it is recorded. */
  readonly state: () => ItemState | undefined;
  /** Records a boundary; throws when it cannot be. */
  readonly record: (event: NewEvent) => void;
  /** Resolves when what is recorded survives the loss of power: nothing follows from the end of an attempt before. */
  readonly durable: () => Promise<void>;
  /** Waits until an attempt may be begun; false when none may any more. */
  readonly mayBegin: (attempt: number) => Promise<boolean>;
  /** Begins it, if it still may be. */
  readonly claim: () => boolean;
  /** It has ended, and that is recorded. */
  readonly release: () => void;
  readonly attempt: (task: AttemptTask) => Promise<AttemptEnd>;
  /** Moves an approved output into its place. */
  readonly place: (attempt: number, hash: string) => Promise<'placed' | 'lost'>;
}

/**
 * Brings one item to its end, attempt by attempt. An approved attempt is recorded before its output is moved, and the
 * item is final only when the output is in its place: whatever dies in between, the next start knows what is left to do.
 */
export async function workOnItem(work: ItemWork): Promise<void> {
  for (;;) {
    const step = nextStep(work.state(), work.maxAttempts);
    switch (step.kind) {
      case 'none':
        return;
      case 'end':
        return endItem(work, step.status);
      case 'place':
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        if (await isInPlace(work, step)) return endItem(work, 'approved');
        break;
      case 'attempt':
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        if (step.attempt > 1) await work.durable();
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        if (!(await work.mayBegin(step.attempt))) return;
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        if (work.claim() && !(await tryOnce(work, step.attempt))) return;
        break;
      default:
        step satisfies never;
    }
  }
}

/** What is left to do for an item without another attempt, such as after a crash. */
export async function finishItem(work: ItemWork): Promise<void> {
  const step = nextStep(work.state(), work.maxAttempts);
  if (step.kind === 'end') await endItem(work, step.status);
  if (step.kind === 'place' && (await isInPlace(work, step))) await endItem(work, 'approved');
}

/** False when the attempt was cut short: the item is left as it is. */
async function tryOnce(work: ItemWork, attempt: number): Promise<boolean> {
  const { item, index, record } = work;
  const before = work.state();
  if (before === undefined) record({ type: 'item-started', item: item.id, index });
  record({ type: 'attempt-started', item: item.id, index, attempt });
  const startedAtMs = performance.now();
  const reasons = before?.attempts.at(-1)?.reasons ?? [];
  const { feedback, made } = before ?? {};
  const { survivors, ...end } = await work.attempt({ item, index, attempt, reasons, feedback, made });
  const durationMs = Math.round(performance.now() - startedAtMs);
  record({ type: 'attempt-ended', item: item.id, index, attempt, ...end, durationMs });
  work.release();
  if ((survivors ?? 0) > 0) {
    throw new Error(`${survivors} processes of an attempt could not be ended: Pawl starts nothing else until they end`);
  }
  return end.outcome !== 'interrupted' && !isRefusal(end.outcome);
}

async function isInPlace(work: ItemWork, { attempt, hash }: { attempt: number; hash?: string | undefined }) {
  if (hash === undefined) return true;
  await work.durable();
  if ((await work.place(attempt, hash)) === 'placed') return true;
  const { item, index, record } = work;
  // Someone has removed what was approved: it has to be made again.
  record({
    type: 'attempt-ended',
    item: item.id,
    index,
    attempt: attempt + 1,
    outcome: 'failed',
    reasons: ['OUTPUT_LOST'],
    agentStarted: false,
    durationMs: 0,
  });
  return false;
}

async function endItem(work: ItemWork, status: 'approved' | 'rejected' | 'failed'): Promise<void> {
  const { item, index, state, record } = work;
  record({ type: 'item-ended', item: item.id, index, status, attempts: state()?.attempts.length ?? 0 });
  await work.durable();
}

/** What comes next for an item: an attempt, the move of an approved output into its place, or its end. */
type NextStep =
  | { readonly kind: 'attempt'; readonly attempt: number }
  | { readonly kind: 'place'; readonly attempt: number; readonly hash: string | undefined }
  | { readonly kind: 'end'; readonly status: ItemStatus }
  | { readonly kind: 'none' };

/** Another try would come to the same. */
const HOPELESS = 'GENERATOR_NOT_STARTED';

/** Follows from the record alone, so that it is the same after a crash. */
function nextStep(item: ItemState | undefined, maxAttempts: number): NextStep {
  if (item?.status !== undefined || item?.isWithdrawn === true) return { kind: 'none' };
  const last = item?.attempts.at(-1);
  if (item === undefined || last === undefined) return { kind: 'attempt', attempt: 1 };
  const made = item.attempts.length;
  if (last.outcome === 'approved') return { kind: 'place', attempt: made, hash: item.hash };
  if (last.outcome === 'rejected') return { kind: 'end', status: 'rejected' };
  const isHopeless = last.reasons?.includes(HOPELESS) === true;
  return made >= maxAttempts || isHopeless ? { kind: 'end', status: 'failed' } : { kind: 'attempt', attempt: made + 1 };
}
