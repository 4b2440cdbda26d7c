import { attemptBackoffMs } from '../model/item-state.js';
import { formatDuration } from '../model/duration.js';
import { isEnding, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { count } from '../model/figures.js';
import type { ShownItems } from '../model/shown-items.js';

/** An item whose next attempt waits for its time. */
export interface WaitingItem {
  readonly item: string;
  readonly index: number;
  readonly attempt: number;
  readonly leftMs: number;
}

/** What a live pipeline holds back between two attempts, the next one first. Nothing waits in a run that is held up. */
export function waitingItems(state: RunState, { retried }: ShownItems, nowMs: number): readonly WaitingItem[] {
  const { pipeline } = state;
  const status = loopStateOf(state);
  const { pause, stop } = state.requests;
  const isHeld = pause !== undefined || stop !== undefined || isEnding(state);
  if (status !== 'running' || isHeld) return [];
  const backoffMs = pipeline?.spec?.retry.backoffMs ?? 0;
  return retried
    .map(({ item, index, attempt, since }) => {
      const leftMs = Date.parse(since) + attemptBackoffMs(attempt, backoffMs) - nowMs;
      return { item, index, attempt, leftMs };
    })
    .filter(({ leftMs }) => leftMs > 0)
    .toSorted((a, b) => a.leftMs - b.leftMs);
}

/** `waits, attempt 2 in 18s`. */
export function waitsText({ attempt, leftMs }: WaitingItem): string {
  return `waits, attempt ${count(attempt)} in ${formatDuration(Math.ceil(leftMs / 1000) * 1000)}`;
}
