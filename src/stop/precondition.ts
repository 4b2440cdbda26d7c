import { endOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { utcText } from '../model/duration.js';
import { WAIT_PATH } from '../model/wait-policy.js';

/** What has to be done before a resume of an ended run can help. `error`: why it broke, where that is not in its record. */
export function preconditionOf(state: RunState, error = endOf(state)?.error): string | undefined {
  // A worktree is left as it is: no command of Pawl restores its files.
  if (hasBrokenGuard(state) && state.spec?.worktree !== undefined) return 'put the protected files back';
  if (/ENOSPC|disk is full/.test(error ?? '')) return 'free some space on the disk that holds the record';
  if (endOf(state)?.reasons[0]?.path !== WAIT_PATH) return undefined;
  const { limitHit } = state.latest;
  if (limitHit?.kind === 'overload') return 'check the network and the status page of the provider';
  const resetMs = Date.parse(limitHit?.resetsAt ?? '');
  return `wait until the usage limit ends${Number.isNaN(resetMs) ? '' : ` (${utcText(resetMs)})`}`;
}

/** It ended because protected files were changed, and they have not been seen as before since. */
export function hasBrokenGuard(state: RunState): boolean {
  return state.guardBroken !== undefined && endOf(state)?.class === 'veto';
}
