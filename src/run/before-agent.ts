import type { RunState } from '../model/run-state.js';

/** An iteration is under way and its agent has not been started yet. */
export function isBeforeAgent({ open }: Pick<RunState, 'open'>): boolean {
  return open !== undefined && (open.status === undefined || open.status === 'pre_hooks');
}
