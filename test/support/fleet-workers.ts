import { join } from 'node:path';
import { afterEach, type TestContext } from 'vitest';
import { type FleetRun, readFleet } from '../../src/fleet/fleet-status.js';
import { PostgresEngine } from '../../src/fleet/engine/postgres-engine.js';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { Worker, type WorkerOptions } from '../../src/fleet/worker.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { FleetScene } from './fleet-scene.js';
import { fileDatabase } from './postgres.js';

export interface WorkerChanges extends Partial<Pick<WorkerOptions, 'home' | 'slots'>> {
  readonly database?: Fleet | undefined;
  /** Gets what the worker says. */
  readonly lines?: string[] | undefined;
}

/** Scenes and workers in the process of a test file: each ends with its test, the last first. */
export function fleetWorkers() {
  const postgres = fileDatabase();
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return {
    atEnd: (end: () => Promise<void>): void => void ends.push(end),
    sceneOf: async (context: TestContext): Promise<FleetScene> => {
      const scene = await FleetScene.open(await postgres(context));
      ends.push(() => scene.close());
      return scene;
    },
    /** The first has its home in `worker`; each has its own, and ends without waiting for its iterations. */
    start: (scene: FleetScene, { lines = [], database = scene.database, ...changes }: WorkerChanges = {}): Worker => {
      const { environment, folder } = scene;
      const worker = new Worker({
        now: Date.now,
        engine: new PostgresEngine(database),
        home: join(folder, ends.length === 1 ? 'worker' : `worker-${ends.length}`),
        slots: 1,
        labels: [],
        lookMs: 100,
        environment,
        onLine: (line) => lines.push(line),
        ...changes,
      });
      const working = worker.work();
      ends.push(async () => {
        worker.drain(true);
        await working;
      });
      return worker;
    },
  };
}

/** As if nothing had been heard of any worker for a minute: whoever works on a run is found dead. */
export async function silence({ database }: FleetScene): Promise<void> {
  await database.query(
    `update pawl_jobs.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'`,
  );
  await database.query('update pawl_jobs.queue set monitor_on = null, monitor_claim_on = null');
  await database.jobs.supervise();
}

/** The first run that is so, as soon as there is one. */
export async function runOf({ database }: FleetScene, is: (run: FleetRun) => boolean): Promise<FleetRun> {
  for (;;) {
    const found = (await readFleet(database)).runs.find(is);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

export const hasEnded = ({ state }: FleetRun): boolean => state === 'ended';

/** What is recorded of a run, or of the only one. */
export async function eventsOf({ database }: FleetScene, run?: string): Promise<readonly RunEvent[]> {
  const lines = await database.query<{ line: string }>(
    'select line from pawl.events where run = coalesce($1, run) order by seq',
    [run ?? null],
  );
  return lines.map(({ line }) => JSON.parse(line) as RunEvent);
}
