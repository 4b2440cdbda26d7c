import { brokenIteration } from '../run/broken-iteration.js';
import type { PostgresJournal } from './postgres-journal.js';
import { WorkspaceFailed, type WorkspaceFailure } from './workspace-failed.js';

/** What stays so until a person does something. */
const FOR_GOOD: ReadonlySet<WorkspaceFailure> = new Set(['invalid', 'not-found', 'not-allowed', 'no-base']);

/** Ends the record of a run that had begun and has no place any more to go on in. Rejects with the error, or with why not. */
export async function endRecord(journal: PostgresJournal, error: unknown): Promise<never> {
  if (journal.state.seq === 0 || !(error instanceof WorkspaceFailed) || !FOR_GOOD.has(error.kind)) throw error;
  const { activeMs } = journal.state;
  const ended = brokenIteration(journal.state, 'its worker died, and the run cannot go on');
  if (ended !== undefined) journal.append({ type: 'iteration-ended', ...ended }, activeMs);
  journal.append({ type: 'run-ended', state: 'error', reasons: [], error: error.message }, activeMs);
  await journal.synced();
  throw error;
}
