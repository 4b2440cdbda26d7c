import { join } from 'node:path';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { FleetScene } from '../../test/support/fleet-scene.js';
import { sharedPostgres } from '../../test/support/postgres.js';
import type { RunEvent } from '../model/run-event.js';
import { batchSpend } from './batch-budget.js';
import { type FleetRun, readFleet } from './fleet-status.js';
import { Worker } from './worker.js';

const postgres = sharedPostgres();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function sceneOf(context: TestContext): Promise<FleetScene> {
  const scene = await FleetScene.open(await postgres(context));
  ends.push(() => scene.close());
  return scene;
}

/** As many workers as names, until all runs have ended. */
async function workedOn(scene: FleetScene, names: readonly string[]): Promise<readonly FleetRun[]> {
  for (const name of names) {
    const { database, folder, environment } = scene;
    const home = join(folder, name);
    const worker = new Worker({ database, home, slots: 1, labels: [], ttlMs: 3000, environment, onLine: () => {} });
    const working = worker.work();
    ends.push(async () => {
      worker.drain(true);
      await working;
    });
  }
  for (;;) {
    const { counts, runs } = await readFleet(scene.database);
    if (counts.ended === runs.length) return runs;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function endOf({ database }: FleetScene, run: string): Promise<RunEvent | undefined> {
  const text = 'select line from pawl.events where run = $1 order by seq desc limit 1';
  const [row] = await database.query<{ line: string }>(text, [run]);
  return row === undefined ? undefined : (JSON.parse(row.line) as RunEvent);
}

const SILENT = 'cat >/dev/null; echo "step $(($(wc -l <steps.txt 2>/dev/null || echo 0) + 1))" >>steps.txt';

// A step costs 0.0045 dollars.
describe('the budget of a batch', () => {
  it('is a limit of each of its runs, which others reach for it, and their records say so', async (context) => {
    const scene = await sceneOf(context);
    const ids = await scene.submit([50, 50, 50], { batch: { id: 'night', maxCostUsd: 0.02 } });
    const runs = await workedOn(scene, ['one', 'two']);
    const spent = await batchSpend(scene.database, 'night');
    expect(spent?.spentUsd).toBeGreaterThanOrEqual(0.02);
    // Two workers: each had one call under way.
    expect(spent?.spentUsd).toBeLessThan(0.02 + 2 * 0.0046);
    expect(runs.map(({ outcome }) => outcome)).toMatchObject(ids.map(() => ({ status: 'stopped', class: 'limit' })));
    const last = await Promise.all(ids.map((id) => endOf(scene, id)));
    const begun = last.filter((event) => event !== undefined);
    expect(begun.length).toBeGreaterThanOrEqual(2);
    for (const event of begun) {
      const condition = { type: 'max_cost_of_batch', usd: 0.02 };
      expect(event).toMatchObject({ type: 'run-ended', class: 'limit', reasons: [{ condition }] });
    }
  });

  it('charges an iteration that told nothing like the dearest of the batch', async (context) => {
    const scene = await sceneOf(context);
    const batch = { id: 'night', maxCostUsd: 5 };
    const [telling = ''] = await scene.submit([1], { batch });
    const [silent = ''] = await scene.submit([3], { batch, line: SILENT });
    await workedOn(scene, ['one']);
    expect(await endOf(scene, telling)).toMatchObject({ class: 'goal' });
    expect(await endOf(scene, silent)).toMatchObject({ class: 'goal' });
    // One that told, and three that did not.
    const { spentUsd = 0, unknownRun } = (await batchSpend(scene.database, 'night')) ?? {};
    expect(spentUsd).toBeCloseTo(4 * 0.0045);
    expect(unknownRun).toBeUndefined();
  });

  it('that nobody can hold blocks every run of the batch', async (context) => {
    const scene = await sceneOf(context);
    const batch = { id: 'night', maxCostUsd: 5 };
    const [silent = ''] = await scene.submit([50], { batch, line: SILENT });
    const [other = ''] = await scene.submit([50], { batch });
    await workedOn(scene, ['one']);
    expect(await endOf(scene, silent)).toMatchObject({ type: 'run-ended', class: 'blocked' });
    expect(await endOf(scene, other)).toMatchObject({
      class: 'blocked',
      reasons: [{ message: expect.stringContaining(`what ${silent} has spent is not known`) }],
    });
    expect(await batchSpend(scene.database, 'night')).toMatchObject({ spentUsd: 0, unknownRun: silent });
  });

  it('that is not there is none', async (context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { batch: { id: 'night', maxCostUsd: 5 } });
    expect(await batchSpend(scene.database, 'day')).toBeUndefined();
  });
});
