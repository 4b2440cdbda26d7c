import type { Query } from '../../src/fleet/database.js';

/** A run in the table, as one that was submitted. */
export async function queuedRun({ query }: { readonly query: Query }, runId: string): Promise<void> {
  await query(`insert into pawl.runs (id, repository, base, spec) values ($1, 'a-repository', 'main', '{}')`, [runId]);
}

/** What a claim does to the row: from then on the worker before can record nothing. Returns the new epoch. */
export async function claimedAgain({ query }: { readonly query: Query }, runId: string): Promise<number> {
  const [row] = await query<{ epoch: number }>(
    `update pawl.runs set state = 'running', epoch = epoch + 1 where id = $1 returning epoch`,
    [runId],
  );
  return row?.epoch ?? 0;
}
