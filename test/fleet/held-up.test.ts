import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { claimRun, releaseRun } from '../../src/fleet/engine/claim.js';
import { readFleet } from '../../src/fleet/fleet-status.js';
import { setLimit } from '../../src/fleet/limits.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();

it('what holds a queued run up is told: a limit that is used up, in any spelling, or labels that no worker has', async (context) => {
  const { database } = await fleet(context);
  const repository = 'https://example.org/b.git';
  const runs = [
    aRun({ repository }),
    aRun({ labels: ['gpu', 'big'] }),
    aRun({ keyGroup: 'team' }),
    aRun({ keyGroup: 'team' }),
    aRun(),
  ];
  await submitRuns(database, runs);
  await setLimit(database, { kind: 'repository', key: 'https://EXAMPLE.org/b/', most: 0 });
  await setLimit(database, { kind: 'key_group', key: '*', most: 1 });
  const why = async () => (await readFleet(database)).runs.toReversed().map(({ heldUp }) => heldUp);
  const ofRepository = `waits: 0 of 0 places for repository ${repository}`;
  // Without a worker it is that which is missing.
  expect(await why()).toEqual([ofRepository, undefined, undefined, undefined, undefined]);
  const worker = await aWorker(database, 'a', ['gpu']);
  expect((await claimRun(database, worker))?.id).toBe(runs[2]?.id);
  const ofKey = 'waits: 1 of 1 places for key_group team';
  expect(await why()).toEqual([ofRepository, 'no worker with gpu big', undefined, ofKey, undefined]);
  await aWorker(database, 'b', ['big', 'gpu']);
  expect(await why()).toEqual([ofRepository, undefined, undefined, ofKey, undefined]);
});

it('one that is to be cancelled or paused is held up by nothing else', async (context) => {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()]);
  await setLimit(database, { kind: 'repository', key: '*', most: 0 });
  await database.query(`update pawl.runs set wish = 'pause'`);
  expect((await readFleet(database)).runs[0]?.heldUp).toBeUndefined();
});

it('the trouble that a worker had with a run is gone when the run is back in the queue', async (context) => {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()]);
  const worker = await aWorker(database, 'a');
  const claimed = await claimRun(database, worker);
  if (claimed === undefined) throw new Error('nothing was handed out');
  await database.query(`update pawl.runs set trouble = 'it cannot be pushed'`);
  await releaseRun(database, claimed, { state: 'queued', isBroken: true });
  const [run] = (await readFleet(database)).runs;
  expect(run).toMatchObject({ state: 'queued' });
  expect(run?.trouble).toBeUndefined();
});
