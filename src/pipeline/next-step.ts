import type { ItemState } from '../model/item-state.js';
import type { ItemStatus } from '../model/run-event.js';

/** What comes next for an item: an attempt, the move of an approved output into its place, or its end. */
export type NextStep =
  | { readonly kind: 'attempt'; readonly attempt: number }
  | { readonly kind: 'place'; readonly attempt: number; readonly hash: string | undefined }
  | { readonly kind: 'end'; readonly status: ItemStatus }
  | { readonly kind: 'none' };

/** Another try would come to the same. */
const HOPELESS = 'GENERATOR_NOT_STARTED';

/** Follows from the record alone, so that it is the same after a crash. */
export function nextStep(item: ItemState | undefined, maxAttempts: number): NextStep {
  if (item?.status !== undefined || item?.isWithdrawn === true) return { kind: 'none' };
  const last = item?.attempts.at(-1);
  if (item === undefined || last === undefined) return { kind: 'attempt', attempt: 1 };
  const made = item.attempts.length;
  if (last.outcome === 'approved') return { kind: 'place', attempt: made, hash: item.hash };
  if (last.outcome === 'rejected') return { kind: 'end', status: 'rejected' };
  const isHopeless = last.reasons?.includes(HOPELESS) === true;
  return made >= maxAttempts || isHopeless ? { kind: 'end', status: 'failed' } : { kind: 'attempt', attempt: made + 1 };
}
