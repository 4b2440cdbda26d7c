import { describe, expect, it } from 'vitest';
import type { FleetScene } from '../support/fleet-scene.js';
import { eventsOf, fleetWorkers } from '../support/fleet-workers.js';
import { batchSpend } from '../../src/fleet/batch-budget.js';
import { type FleetRun, readFleet } from '../../src/fleet/fleet-status.js';

const { sceneOf, start } = fleetWorkers();

/** So many workers, until all runs have ended. */
async function workedOn(scene: FleetScene, workers: number): Promise<readonly FleetRun[]> {
  for (let count = 0; count < workers; count++) start(scene);
  for (;;) {
    const { counts, runs } = await readFleet(scene.database);
    if (counts.ended === runs.length) return runs;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const endOf = async (scene: FleetScene, run: string) => (await eventsOf(scene, run)).at(-1);

const SILENT = 'cat >/dev/null; echo "step $(($(wc -l <steps.txt 2>/dev/null || echo 0) + 1))" >>steps.txt';

// A step costs 0.0045 dollars.
describe('the budget of a batch', () => {
  it('is a limit of each of its runs, which others reach for it, and their records say so', async (context) => {
    const scene = await sceneOf(context);
    const ids = await scene.submit([50, 50, 50], { batch: { id: 'night', maxCostUsd: 0.02 } });
    const runs = await workedOn(scene, 2);
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
    await workedOn(scene, 1);
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
    await workedOn(scene, 1);
    expect(await endOf(scene, silent)).toMatchObject({ type: 'run-ended', class: 'blocked' });
    expect(await endOf(scene, other)).toMatchObject({
      class: 'blocked',
      reasons: [{ message: expect.stringMatching(new RegExp(`${silent} .*not known`)) }],
    });
    expect(await batchSpend(scene.database, 'night')).toMatchObject({ spentUsd: 0, unknownRun: silent });
  });

  it('that is not there is none', async (context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { batch: { id: 'night', maxCostUsd: 5 } });
    expect(await batchSpend(scene.database, 'day')).toBeUndefined();
  });
});
