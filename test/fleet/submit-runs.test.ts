import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { ConfigError } from '../../src/model/errors.js';
import { claimRun } from '../../src/fleet/engine/claim.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();

it('a thousand runs stand in the queue in the order of their submission and are handed out in it', async (context) => {
  const { database } = await fleet(context);
  const runs = Array.from({ length: 1000 }, (_, index) => aRun({ spec: { index } }));
  const ids = runs.map(({ id }) => id);
  expect(await submitRuns(database, runs)).toBe(1000);
  const queue = await database.query<{ id: string }>('select id from pawl.runs order by position');
  expect(queue.map(({ id }) => id)).toEqual(ids);
  const worker = await aWorker(database, 'a');
  const handedOut: (string | undefined)[] = [];
  for (let count = 0; count < 20; count += 1) handedOut.push((await claimRun(database, worker))?.id);
  expect(handedOut).toEqual(ids.slice(0, 20));
});

it('a submission that is asked again adds nothing and changes nothing', async (context) => {
  const { database } = await fleet(context);
  const run = aRun({ spec: { prompt: 'first' } });
  const batch = { id: 'tickets', maxCostUsd: 3 };
  expect(await submitRuns(database, [run], { batch })).toBe(1);
  expect(await submitRuns(database, [{ ...run, spec: { prompt: 'second' } }], { batch })).toBe(0);
  expect(await database.query('select spec, batch from pawl.runs')).toEqual([
    { spec: { prompt: 'first' }, batch: 'tickets' },
  ]);
});

it('a text that Postgres cannot keep is refused in words, and nothing of the submission is there', async (context) => {
  const { database } = await fleet(context);
  for (const prompt of ['a\u0000b', 'half \ud83d']) {
    const refused = submitRuns(database, [aRun(), aRun({ spec: { prompt } })]);
    await expect(refused).rejects.toThrow(/character .*Postgres/);
  }
  expect(await database.query('select 1 from pawl.runs')).toEqual([]);
  const odd = { prompt: 'a backslash and a u: \\u0000, and a whole pair: \u{1f600}', quote: `"'$1` };
  await submitRuns(database, [aRun({ spec: odd, labels: ["it's", '{odd,"label"}'] })]);
  expect(await database.query('select spec, labels from pawl.runs')).toEqual([
    { spec: odd, labels: ["it's", '{odd,"label"}'] },
  ]);
});

it('a batch keeps its budget: another is refused, and so is one that is no amount', async (context) => {
  const { database } = await fleet(context);
  await submitRuns(database, [aRun()], { batch: { id: 'tickets', maxCostUsd: 3 } });
  await submitRuns(database, [aRun()], { batch: { id: 'tickets' } });
  const more = submitRuns(database, [aRun()], { batch: { id: 'tickets', maxCostUsd: 4 } });
  await expect(more).rejects.toThrow(/^--batch-cost: .*batch tickets .*\$3/);
  await submitRuns(database, [aRun()], { batch: { id: 'free' } });
  const late = submitRuns(database, [aRun()], { batch: { id: 'free', maxCostUsd: 4 } });
  await expect(late).rejects.toThrow(/batch free .*no budget.* --batch-cost/);
  const none = submitRuns(database, [aRun()], { batch: { id: 'other', maxCostUsd: Number.NaN } });
  await expect(none).rejects.toBeInstanceOf(ConfigError);
  expect(await database.query('select batch from pawl.runs order by position')).toEqual(
    ['tickets', 'tickets', 'free'].map((batch) => ({ batch })),
  );
});

it('large runs, of which only a few go at a time, are all there in their order', async (context) => {
  const { database } = await fleet(context);
  const runs = [3, 9, 1, 4, 4, 0].map((megabytes) => aRun({ spec: { prompt: 'x'.repeat(megabytes * 1_000_000) } }));
  expect(await submitRuns(database, runs)).toBe(6);
  const queue = await database.query<{ id: string }>('select id from pawl.runs order by position');
  expect(queue.map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
});

it('what is not the id of a run is refused', async (context) => {
  const { database } = await fleet(context);
  await expect(submitRuns(database, [{ ...aRun(), id: '../x' }])).rejects.toBeInstanceOf(ConfigError);
});
