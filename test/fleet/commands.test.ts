import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { commandsRecorded, sendCommand, waitingCommands, wishFor } from '../../src/fleet/commands.js';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { claimRun, releaseRun } from '../../src/fleet/engine/claim.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();

async function claimed(database: Fleet) {
  await submitRuns(database, [aRun()]);
  const worker = await aWorker(database, 'a');
  const run = await claimRun(database, worker);
  if (run === undefined) throw new Error('nothing was handed out');
  return { run, worker };
}

it('commands come in their order until they are recorded, also those that were sent before anybody worked on the run', async (context) => {
  const { database } = await fleet(context);
  const submitted = aRun();
  await submitRuns(database, [submitted]);
  await sendCommand(database, submitted.id, { type: 'steer', text: 'first' }, 'ann');
  const run = await claimRun(database, await aWorker(database, 'a'));
  await sendCommand(database, submitted.id, { type: 'stop', now: true }, 'bob');
  const waiting = await waitingCommands(database, submitted.id, run?.epoch ?? 0);
  expect(waiting).toMatchObject([
    { command: { type: 'steer', text: 'first' }, by: 'ann' },
    { command: { type: 'stop', now: true }, by: 'bob' },
  ]);
  const [first] = waiting;
  await commandsRecorded(database, [first?.id ?? '']);
  expect(await waitingCommands(database, submitted.id, run?.epoch ?? 0)).toMatchObject([{ by: 'bob' }]);
});

it('a worker that the run was taken from takes no command away', async (context) => {
  const { database } = await fleet(context);
  const { run, worker } = await claimed(database);
  await releaseRun(database, run, { state: 'queued' });
  await sendCommand(database, run.id, { type: 'pause' }, 'ann');
  expect(await waitingCommands(database, run.id, run.epoch)).toEqual([]);
  const next = await claimRun(database, worker);
  expect(await waitingCommands(database, run.id, run.epoch)).toEqual([]);
  expect(await waitingCommands(database, run.id, next?.epoch ?? 0)).toHaveLength(1);
});

it('a command wakes a run that waits, however long', async (context) => {
  const { database } = await fleet(context);
  const { run, worker } = await claimed(database);
  await releaseRun(database, run, { state: 'waiting' });
  expect(await claimRun(database, worker)).toBeUndefined();
  await sendCommand(database, run.id, { type: 'approve' }, 'ann');
  expect((await claimRun(database, worker))?.id).toBe(run.id);
});

it('a command that comes while its worker lets go of a run wakes it, whichever is first', async (context) => {
  const { database } = await fleet(context);
  for (let round = 0; round < 30; round++) {
    const { run, worker } = await claimed(database);
    await Promise.all([
      releaseRun(database, run, { state: 'waiting' }),
      sendCommand(database, run.id, { type: 'approve' }, 'ann'),
    ]);
    const next = await claimRun(database, worker);
    expect(next?.id).toBe(run.id);
    if (next !== undefined) await releaseRun(database, next, { state: 'ended', outcome: {} });
  }
});

it('a command to a run that has ended, that is not there, or that is none, is refused in words', async (context) => {
  const { database } = await fleet(context);
  const { run } = await claimed(database);
  await expect(sendCommand(database, run.id, { type: 'steer', text: '' }, 'ann')).rejects.toThrow(/steer/);
  await releaseRun(database, run, { state: 'ended', outcome: {} });
  await expect(sendCommand(database, run.id, { type: 'pause' }, 'ann')).rejects.toThrow(/cannot pause .*ended/);
  await expect(sendCommand(database, 'nobody', { type: 'pause' }, 'ann')).rejects.toThrow('there is no run nobody');
  expect(await database.query('select 1 from pawl.commands')).toEqual([]);
});

it('a run that is to be cancelled stays so, and what has ended is not wished for', async (context) => {
  const { database } = await fleet(context);
  const { run: ended } = await claimed(database);
  await releaseRun(database, ended, { state: 'ended', outcome: {} });
  const { run } = await claimed(database);
  const both = [ended.id, run.id];
  expect(await wishFor(database, both, 'pause')).toEqual([run.id]);
  expect(await wishFor(database, both, null)).toEqual([run.id]);
  expect(await wishFor(database, [...both, 'nobody'], 'cancel')).toEqual([run.id]);
  expect(await wishFor(database, both, null)).toEqual([]);
  expect(await database.query('select wish from pawl.runs where id = $1', [run.id])).toEqual([{ wish: 'cancel' }]);
});
