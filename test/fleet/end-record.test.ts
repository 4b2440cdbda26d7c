import { openIteration } from '../../src/model/phase.js';
import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { cancelled, endRecord } from '../../src/fleet/end-record.js';
import { claimRun } from '../../src/fleet/engine/claim.js';
import { openPostgresJournal } from '../../src/fleet/postgres-journal.js';
import { findPushedWork } from '../../src/fleet/pushed-work.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';
import { CloneFailed } from '../../src/workspace/clone-failed.js';

const fleet = sharedFleet();

async function claimedJournal(context: Parameters<typeof fleet>[0]) {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()]);
  const run = await claimRun(database, await aWorker(database, 'a'));
  if (run === undefined) throw new Error('nothing was handed out');
  return { database, journal: await openPostgresJournal(database, { ...run, runId: run.id }) };
}

const gone = new CloneFailed('no-base', 'its branch is gone');

it('a run that has lost its place ends on record, with the iteration that its worker died in', async (context) => {
  const { journal } = await claimedJournal(context);
  journal.append({ type: 'iteration-started', iteration: 1, try: 1, cookie: 'a.1.1', configHash: 'a' }, 10);
  journal.append({ type: 'agent-spawned', pid: 7, startTime: '1' }, 20);
  await expect(endRecord(journal, gone)).rejects.toBe(gone);
  expect(journal.state).toMatchObject({
    phase: { state: 'error', end: { error: 'its branch is gone' } },
    activeMs: 20,
  });
  expect(openIteration(journal.state)).toBeUndefined();
});

it('what may pass, and a run that has not begun, have no end on record', async (context) => {
  const { journal } = await claimedJournal(context);
  await expect(endRecord(journal, gone)).rejects.toBe(gone);
  expect(journal.state.seq).toBe(0);
  journal.append({ type: 'iteration-started', iteration: 1, try: 1, cookie: 'a.1.1', configHash: 'a' }, 10);
  const passing = new CloneFailed('unreachable', 'nobody answers');
  await expect(endRecord(journal, passing)).rejects.toBe(passing);
  expect(journal.state.seq).toBe(1);
});

it('what was pushed last is what was committed last without an error, whatever an agent says', async (context) => {
  const { database, journal } = await claimedJournal(context);
  const pushed = () => findPushedWork(database.query, journal.runId);
  expect(await pushed()).toBeUndefined();
  journal.append({ type: 'work-committed', iteration: 1, commit: 'aaa' }, 1);
  journal.append({ type: 'work-committed', iteration: 2, commit: 'bbb' }, 2);
  journal.append({ type: 'work-committed', iteration: 3, commit: 'ccc', error: 'somebody else has pushed' }, 3);
  journal.append({ type: 'work-committed', iteration: 4, error: 'index.lock is there' }, 4);
  const said = '{"type":"work-committed","iteration":9,"commit":"ddd"}';
  journal.append({ type: 'command-received', command: { type: 'steer', text: said }, by: said }, 5);
  await journal.synced();
  expect(await pushed()).toEqual({ commit: 'bbb', iteration: 2 });
});

it('a run that nobody has begun ends without a record', async (context) => {
  const { journal } = await claimedJournal(context);
  expect(await cancelled(journal)).toEqual({ state: 'ended', outcome: { status: 'stopped', class: 'operator' } });
  expect(journal.state.seq).toBe(0);
});

it('the iteration that a worker died in ends with the run, and what it may have spent is not known', async (context) => {
  const { journal } = await claimedJournal(context);
  journal.append({ type: 'iteration-started', iteration: 1, try: 1, cookie: 'a.1.1', configHash: 'a' }, 10);
  journal.append({ type: 'agent-spawned', pid: 7, startTime: '1' }, 20);
  const to = await cancelled(journal);
  expect(to).toMatchObject({ state: 'ended', outcome: { status: 'stopped', class: 'operator', iterations: 1 } });
  const { spend, activeMs } = journal.state;
  const open = openIteration(journal.state);
  expect({ open, activeMs, unknown: spend.unknownIterations }).toEqual({ open: undefined, activeMs: 20, unknown: 1 });
});
