import { doneClaimOf } from '../model/claim.js';
import type { RunState } from '../model/run-state.js';

/**
 * Whether the agent left its work as done: it said so, handed it in, or, in a session of another tool, ended its turn by itself
 * and asked for nothing. In a loop every call ends a turn, which says nothing.
 */
export function endedAsDone({ kind, latest }: RunState): boolean {
  if (doneClaimOf(latest) !== undefined) return true;
  const { request } = latest.observation;
  const asks = request !== undefined && request.kind !== 'none';
  return kind === 'imported' && latest.finished === true && latest.stoppedItself === undefined && !asks;
}
