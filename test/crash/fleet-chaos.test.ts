import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFleet } from '../../src/fleet/fleet-status.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { isUnstarted } from '../../src/model/unstarted.js';
import { BuiltCli } from '../support/cli-project.js';
import { FleetScene } from '../support/fleet-scene.js';
import { sharedPostgres } from '../support/postgres.js';
import { ALL, FULL } from './scratch-run.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const TTL_MS = 3000;
const RUNS = FULL ? 120 : ALL ? 40 : 9;
const STEPS = FULL ? 12 : 5;
const postgres = sharedPostgres();
let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('fleet-chaos-cli');
  // Where pg is found.
  symlinkSync(join(root, 'node_modules'), join(cli.folder, 'node_modules'));
}, 60_000);
afterAll(() => cli.remove());

/** Workers that are killed and replaced. */
class Fleet {
  readonly #scene: FleetScene;
  readonly #log;
  #started = 0;
  workers: ChildProcess[] = [];

  constructor(scene: FleetScene) {
    this.#scene = scene;
    this.#log = createWriteStream(join(scene.folder, 'workers.log'));
  }

  start(): void {
    const { url, folder, environment } = this.#scene;
    this.#started += 1;
    const home = join(folder, `home-${this.#started}`);
    const words = ['worker', '--postgres', url, '--slots', '3', '--home', home, '--ttl', `${TTL_MS}ms`];
    const worker = spawn(process.execPath, [cli.bin, ...words], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [worker.stdout, worker.stderr]) stream.pipe(this.#log, { end: false });
    this.workers.push(worker);
  }

  any(): ChildProcess | undefined {
    return this.workers[Math.floor(Math.random() * this.workers.length)];
  }

  async kill(worker: ChildProcess | undefined): Promise<void> {
    if (worker === undefined) return;
    this.workers = this.workers.filter((other) => other !== worker);
    worker.kill('SIGKILL');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    this.start();
  }

  async end(): Promise<void> {
    for (const worker of this.workers) {
      worker.kill('SIGCONT');
      worker.kill('SIGKILL');
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    }
  }
}

interface Recorded {
  readonly epoch: number;
  readonly event: RunEvent;
}

async function recordOf({ database }: FleetScene, run: string): Promise<Recorded[]> {
  const rows = await database.query<{ epoch: number; line: string }>(
    'select epoch, line from pawl.events where run = $1 order by seq',
    [run],
  );
  return rows.map(({ epoch, line }) => ({ epoch, event: JSON.parse(line) as RunEvent }));
}

describe('a fleet whose workers are killed and frozen and whose database goes down', () => {
  it('loses nothing and does nothing twice', async (context) => {
    const server = await postgres(context);
    const scene = await FleetScene.open(server);
    const fleet = new Fleet(scene);
    try {
      const slow = { environment: { STEP_SECONDS: '0.2' } };
      const ids = await scene.submit(
        Array.from({ length: RUNS }, () => STEPS),
        slow,
      );
      for (let count = 0; count < 3; count++) fleet.start();
      await harm(scene, fleet, server.restart.bind(server));
      for (const id of ids) await checkRun(scene, id);
    } finally {
      await fleet.end();
      await scene.close();
    }
  }, 1_200_000);
});

/** One fault after the other until all runs have ended. */
async function harm(scene: FleetScene, fleet: Fleet, restart: () => Promise<void>): Promise<void> {
  for (let fault = 1; ; fault++) {
    await pause(1000 + Math.random() * 1000);
    const counts = await readFleet(scene.database, { limit: 1 }).then(
      (seen) => seen.counts,
      () => undefined,
    );
    if (counts !== undefined && counts.ended === RUNS) return;
    if (fault % 6 === 3) {
      await restart();
    } else if (fault % 6 === 5) {
      const frozen = fleet.any();
      frozen?.kill('SIGSTOP');
      await pause(TTL_MS + 1500);
      frozen?.kill('SIGCONT');
    } else {
      await fleet.kill(fleet.any());
    }
  }
}

async function checkRun(scene: FleetScene, id: string): Promise<void> {
  const record = await recordOf(scene, id);
  const events = record.map(({ event }) => event);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const epochs = record.map(({ epoch }) => epoch);
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  expect(events.at(-1)).toMatchObject({ type: 'run-ended', class: 'goal' });
  const ended = events.flatMap((event) => (event.type === 'iteration-ended' ? [event] : []));
  // One whose agent never started gives its number back.
  const counted = ended.filter((event) => !isUnstarted(event));
  expect(counted.map(({ iteration }) => iteration)).toEqual(counted.map((_, index) => index + 1));
  // Every step once: what a dead worker had pushed was not done again.
  const steps = scene.stepsOf(id);
  expect(steps).toEqual(steps.map((_, index) => `step ${index + 1}`));
  // A worker that died between its push and its record has made a step that no completed iteration tells of.
  const completed = counted.filter(({ outcome }) => outcome === 'completed').length;
  expect(steps.length).toBeGreaterThanOrEqual(Math.max(STEPS, completed));
  expect(steps.length).toBeLessThanOrEqual(counted.length);
  const tip = scene.git(scene.remote, 'log', '-1', '--format=%(trailers:key=Pawl-Iteration,valueonly)', `pawl/${id}`);
  const work = events.flatMap((event) => (event.type === 'work-committed' ? [event.iteration] : []));
  expect(Number(tip)).toBe(work.at(-1));
}
