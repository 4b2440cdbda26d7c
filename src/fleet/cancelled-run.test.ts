import { openIteration } from '../model/phase.js';
import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../../test/support/fleet-database.js';
import { cancelled } from './cancelled-run.js';
import { claimRun } from './fleet-queue.js';
import { openPostgresJournal } from './postgres-journal.js';
import { submitRuns } from './submit-runs.js';

const fleet = sharedFleet();

async function claimedJournal(context: Parameters<typeof fleet>[0]) {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()]);
  const run = await claimRun(database, await aWorker(database, 'a'));
  if (run === undefined) throw new Error('nothing was handed out');
  return openPostgresJournal(database, { runId: run.id, epoch: run.epoch });
}

it('a run that nobody has begun ends without a record', async (context) => {
  const journal = await claimedJournal(context);
  expect(await cancelled(journal)).toEqual({ state: 'ended', outcome: { status: 'stopped', class: 'operator' } });
  expect(journal.state.seq).toBe(0);
});

it('the iteration that a worker died in ends with the run, and what it may have spent is not known', async (context) => {
  const journal = await claimedJournal(context);
  journal.append({ type: 'iteration-started', iteration: 1, try: 1, cookie: 'a.1.1', configHash: 'a' }, 10);
  journal.append({ type: 'agent-spawned', pid: 7, startTime: '1' }, 20);
  const to = await cancelled(journal);
  expect(to).toMatchObject({ state: 'ended', outcome: { status: 'stopped', class: 'operator', iterations: 1 } });
  const { spend, activeMs } = journal.state;
  const open = openIteration(journal.state);
  expect({ open, activeMs, unknown: spend.unknownIterations }).toEqual({ open: undefined, activeMs: 20, unknown: 1 });
});
