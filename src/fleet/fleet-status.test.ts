import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../../test/support/fleet-database.js';
import { claimRun, releaseRun } from './fleet-queue.js';
import { readFleet } from './fleet-status.js';
import { submitRuns } from './submit-runs.js';

const fleet = sharedFleet();
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

it('an empty fleet has counts of 0 and nothing unknown', async (context) => {
  const { database } = await fleet(context);
  const counts = { queued: 0, running: 0, waiting: 0, ended: 0 };
  expect(await readFleet(database)).toEqual({ workers: [], counts, runs: [], hasMore: false });
});

it('shows who works on what, the last submitted first, and leaves out what is not known', async (context) => {
  const { database } = await fleet(context);
  const runs = [aRun(), aRun(), aRun({ labels: ['gpu'], apiKey: 'key' })];
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
    apiKey: 'key',
    epoch: 0,
    iteration: 0,
    lastSeq: 0,
    spentUsd: 0,
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
