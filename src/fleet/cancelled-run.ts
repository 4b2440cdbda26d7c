import { brokenIteration } from '../run/broken-iteration.js';
import type { ReleaseTo } from './fleet-queue.js';
import type { PostgresJournal } from './postgres-journal.js';
import { outcomeOf } from './run-outcome.js';

/** Ends the record of a run that is cancelled while nobody works on it: an iteration that its worker died in ends, too. */
export async function cancelled(journal: PostgresJournal): Promise<ReleaseTo> {
  if (journal.state.seq === 0) return { state: 'ended', outcome: { status: 'stopped', class: 'operator' } };
  const { activeMs } = journal.state;
  journal.append({ type: 'command-received', command: { type: 'stop', now: true }, by: 'pawl fleet cancel' }, activeMs);
  const ended = brokenIteration(journal.state, 'its worker died, and the run was cancelled');
  if (ended !== undefined) journal.append({ type: 'iteration-ended', ...ended }, activeMs);
  journal.append({ type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] }, activeMs);
  await journal.synced();
  return { state: 'ended', outcome: outcomeOf(journal.state) };
}
