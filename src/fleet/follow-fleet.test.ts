import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { realisticEvents } from '../../test/contract/realistic-events.js';
import { sharedFleet } from '../../test/support/fleet-database.js';
import { claimedAgain, queuedRun } from '../../test/support/fleet-run.js';
import { readCopyMark } from '../journal/copied-record.js';
import { newRunId } from '../journal/run-places.js';
import type { Database } from './database.js';
import { followFleet } from './follow-fleet.js';
import { fetchRecords } from './keep-records.js';
import { openPostgresJournal } from './postgres-journal.js';

const fleet = sharedFleet();
let home: string;
let environment: { XDG_STATE_HOME: string };

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-follow-fleet-')));
  environment = { XDG_STATE_HOME: join(home, 'state') };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function begunRun(database: Database): Promise<string> {
  const runId = newRunId();
  await queuedRun(database, runId);
  const journal = await openPostgresJournal(database, await claimedAgain(database, runId));
  for (const event of realisticEvents(4)) journal.append(event, 1);
  await journal.close();
  return runId;
}

const endLongAgo = ({ query }: Database, runId: string) =>
  query(`update pawl.runs set state = 'ended', ended_at = now() - interval '1 day' where id = $1`, [runId]);

it('of runs that ended long ago none is copied but one that is asked for, or that was copied before it ended', async (context) => {
  const { database, postgres } = await fleet(context);
  const [seen, ended] = [await begunRun(database), await begunRun(database)];
  const { folder } = await fetchRecords(postgres.url, { environment, now: Date.now }, [seen]);
  for (const runId of [seen, ended]) await endLongAgo(database, runId);
  const live = await begunRun(database);
  const markOf = (runId: string) => readCopyMark(join(folder, '.ralph', 'runs', runId));
  expect(markOf(seen)?.state).toBe('running');
  const followed = followFleet(postgres.url, { environment, now: Date.now, pollMs: 20, onProblem: () => undefined });
  try {
    await expect.poll(() => markOf(live)?.state, { timeout: 60_000 }).toBe('running');
    await expect.poll(() => markOf(seen)?.state, { timeout: 60_000 }).toBe('ended');
    expect(followed.glance().rows.map(({ id }) => id)).toEqual([live, ended, seen]);
    expect(markOf(ended)).toBeUndefined();
    await followed.copy(ended);
    expect(existsSync(join(folder, '.ralph', 'runs', ended, 'journal.jsonl'))).toBe(true);
    await endLongAgo(database, live);
    await expect.poll(() => markOf(live)?.state, { timeout: 60_000 }).toBe('ended');
  } finally {
    await followed.close();
  }
});
