import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { claimRun, releaseRun } from '../../src/fleet/engine/claim.js';
import { readBatch, readFleet } from '../../src/fleet/fleet-status.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

it('an empty fleet has counts of 0 and nothing unknown', async (context) => {
  const { database } = await fleet(context);
  const counts = { queued: 0, running: 0, waiting: 0, ended: 0 };
  expect(await readFleet(database)).toEqual({ workers: [], counts, runs: [], hasMore: false });
});

it('shows who works on what, the last submitted first, and leaves out what is not known', async (context) => {
  const { database } = await fleet(context);
  const runs = [aRun(), aRun(), aRun({ labels: ['gpu'], keyGroup: 'key' })];
  await submitRuns(database, runs.slice(0, 2));
  const worker = await aWorker(database, 'a', ['gpu']);
  const ended = await claimRun(database, worker);
  await claimRun(database, worker);
  if (ended === undefined) throw new Error('nothing was handed out');
  await releaseRun(database, ended, { state: 'ended', outcome: { status: 'done' } });
  await submitRuns(database, runs.slice(2), { batch: { id: 'tickets' } });
  const seen = await readFleet(database);
  expect(seen.counts).toEqual({ queued: 1, running: 1, waiting: 0, ended: 1 });
  expect(seen.workers).toEqual([
    {
      id: 'a',
      host: 'somewhere',
      pid: 1,
      slots: 4,
      labels: ['gpu'],
      running: 1,
      startedAt: expect.stringMatching(INSTANT),
    },
  ]);
  expect(seen.runs.map(({ id }) => id)).toEqual(runs.map(({ id }) => id).reverse());
  expect(seen.runs[0]).toEqual({
    id: runs[2]?.id,
    state: 'queued',
    batch: 'tickets',
    repository: runs[2]?.repository,
    base: 'main',
    labels: ['gpu'],
    keyGroup: 'key',
    epoch: 0,
    iteration: 0,
    lastSeq: 0,
    spentUsd: 0,
    atLeastUsd: 0,
    crashes: 0,
    createdAt: expect.stringMatching(INSTANT),
  });
  expect(seen.runs[1]).toMatchObject({ worker: 'a', epoch: 1, startedAt: expect.stringMatching(INSTANT) });
  expect(seen.runs[2]).toMatchObject({ outcome: { status: 'done' }, endedAt: expect.stringMatching(INSTANT) });
});

it('a filter lets through what is asked for, and says when that is more than is shown', async (context) => {
  const { database } = await fleet(context);
  const runs = [aRun({ repository: 'one' }), aRun({ repository: 'two' }), aRun({ repository: 'two' })];
  await submitRuns(database, runs);
  const shown = async (filter: Parameters<typeof readFleet>[1]) => {
    const { runs: some, hasMore } = await readFleet(database, filter);
    return [some.map(({ id }) => id), hasMore];
  };
  expect(await shown({ repository: 'two', limit: 1 })).toEqual([[runs[2]?.id], true]);
  expect(await shown({ repository: 'two', limit: 2 })).toEqual([[runs[2]?.id, runs[1]?.id], false]);
  expect(await shown({ ids: [runs[0]?.id ?? ''] })).toEqual([[runs[0]?.id], false]);
  expect(await shown({ states: ['running', 'ended'] })).toEqual([[], false]);
  expect(await shown({ batch: 'none' })).toEqual([[], false]);
  expect(await shown({ worker: 'none' })).toEqual([[], false]);
});

it('what nobody has told is not known, of a run and of its batch', async (context) => {
  const { database } = await fleet(context);
  const [run] = [aRun()];
  await submitRuns(database, [run, aRun()], { batch: { id: 'tickets', maxCostUsd: 5 } });
  const spentAs = async (columns: string) => {
    await database.query(`update pawl.runs set ${columns} where id = $1`, [run.id]);
    const { runs } = await readFleet(database, { ids: [run.id] });
    return [runs[0]?.spentUsd, (await readBatch(database, 'tickets'))?.spentUsd];
  };
  expect(await spentAs(`state = 'queued'`)).toEqual([0, 0]);
  expect(await spentAs(`state = 'running', iteration = 1`)).toEqual([undefined, undefined]);
  expect(await spentAs('spent_usd = 1.5')).toEqual([1.5, 1.5]);
  expect(await spentAs('spend_unknown = true')).toEqual([undefined, undefined]);
  expect(await readBatch(database, 'tickets')).toMatchObject({ atLeastUsd: 1.5, maxCostUsd: 5 });
  const ended = `state = 'ended', spend_unknown = false, outcome`;
  expect(await spentAs(`${ended} = '{"iterations": 1}'`)).toEqual([undefined, undefined]);
  expect(await spentAs(`${ended} = '{"iterations": 1, "costUsd": 1.5}'`)).toEqual([1.5, 1.5]);
  // It was ended before it began, or given up: the row alone tells.
  expect(await spentAs(`${ended} = '{"status": "error"}'`)).toEqual([1.5, 1.5]);
  expect(await readBatch(database, 'nothing')).toBeUndefined();
});

it('the counts of a batch are those of its runs alone', async (context) => {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun(), aRun()]);
  await submitRuns(database, [aRun()], { batch: { id: 'tickets' } });
  expect((await readFleet(database, { batch: 'tickets' })).counts).toMatchObject({ queued: 1 });
  expect((await readFleet(database)).counts).toMatchObject({ queued: 3 });
});

it('of a run that waits it is said for what, whatever else its record holds', async (context) => {
  const { database } = await fleet(context);
  const run = aRun();
  await submitRuns(database, [run]);
  const lines = ['{"seq":1,"type":"waiting-started","for":"approval","reason":"\\u0000"}', '{"seq":2,"type":"left"}'];
  for (const [index, line] of lines.entries()) {
    await database.query('insert into pawl.events (run, seq, epoch, line) values ($1, $2, 1, $3)', [
      run.id,
      index + 1,
      line,
    ]);
  }
  await database.query(`update pawl.runs set last_seq = 2`);
  expect((await readFleet(database)).runs[0]).not.toHaveProperty('waitsFor');
  await database.query(`update pawl.runs set state = 'waiting'`);
  expect((await readFleet(database)).runs[0]).toMatchObject({ waitsFor: 'approval' });
});
