import type { Query } from '../../src/fleet/database.js';
import type { ClaimOfRun } from '../../src/fleet/send-events.js';

/** A run in the table, as one that was submitted. */
export async function queuedRun({ query }: { readonly query: Query }, runId: string): Promise<void> {
  await query(`insert into pawl.runs (id, repository, base, spec) values ($1, 'a-repository', 'main', '{}')`, [runId]);
}

/** What a claim does to the row: from then on the worker before can record nothing. */
export async function claimedAgain({ query }: { readonly query: Query }, runId: string): Promise<ClaimOfRun> {
  const [row] = await query<Omit<ClaimOfRun, 'runId'>>(
    `update pawl.runs set state = 'running', epoch = epoch + 1, claim = gen_random_uuid() where id = $1 returning epoch, claim`,
    [runId],
  );
  return { runId, epoch: row?.epoch ?? 0, claim: row?.claim ?? '' };
}
