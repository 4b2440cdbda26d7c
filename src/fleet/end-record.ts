import { brokenIteration } from '../run/after-crash.js';
import { CloneFailed, type CloneFailure } from '../workspace/clone-failed.js';
import type { FleetJournal, ReleaseTo } from './engine/engine.js';
import { outcomeOf } from './run-outcome.js';

/** These failures stay until a person does something. */
const FOR_GOOD: ReadonlySet<CloneFailure> = new Set(['invalid', 'not-found', 'not-allowed', 'no-base']);

/** Ends the record of a run that had begun and can no longer be cloned. Rejects with the error, or with why it cannot end the record. */
export async function endRecord(journal: FleetJournal, error: unknown): Promise<never> {
  if (journal.state.seq === 0 || !(error instanceof CloneFailed) || !FOR_GOOD.has(error.kind)) throw error;
  const { activeMs } = journal.state;
  const ended = brokenIteration(journal.state, 'its worker died, and the run cannot go on');
  if (ended !== undefined) journal.append({ type: 'iteration-ended', ...ended }, activeMs);
  journal.append({ type: 'run-ended', state: 'error', reasons: [], error: error.message }, activeMs);
  await journal.synced();
  throw error;
}

/** Ends the record of a run that is cancelled while no worker has it, with the iteration that its worker died in. */
export async function cancelled(journal: FleetJournal): Promise<ReleaseTo> {
  if (journal.state.seq === 0) return { state: 'ended', outcome: { status: 'stopped', class: 'operator' } };
  const { activeMs } = journal.state;
  journal.append({ type: 'command-received', command: { type: 'stop', now: true }, by: 'pawl fleet cancel' }, activeMs);
  const ended = brokenIteration(journal.state, 'its worker died, and the run was cancelled');
  if (ended !== undefined) journal.append({ type: 'iteration-ended', ...ended }, activeMs);
  journal.append({ type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] }, activeMs);
  await journal.synced();
  return { state: 'ended', outcome: outcomeOf(journal.state) };
}
