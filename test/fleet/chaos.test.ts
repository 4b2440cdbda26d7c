import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchSpend } from '../../src/fleet/batch-budget.js';
import { readFleet } from '../../src/fleet/fleet-status.js';
import { setLimit } from '../../src/fleet/limits.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { isUnstarted } from '../../src/model/work.js';
import { BuiltCli } from '../support/cli-project.js';
import { FleetScene } from '../support/fleet-scene.js';
import { FULL } from '../support/full-form.js';
import { ownPostgres } from '../support/postgres.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The shortest that there is. */
const HEARTBEAT_SECONDS = 10;
/** No more agents at once than that. */
const MOST_AT_ONCE = 6;
const RUNS = FULL ? 40 : 9;
const STEPS = FULL ? 10 : 5;
const WORKERS = 3;
const SLOTS = 3;
/** What a step of the agent costs. */
const STEP_USD = 0.0045;
/** One run of four is in a batch that may spend half of what its runs need. */
const BATCH_EVERY = 4;
const BATCH = { id: 'night', maxCostUsd: (Math.ceil(RUNS / BATCH_EVERY) * STEPS * STEP_USD) / 2 };
const postgres = ownPostgres();
let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('fleet-chaos-cli');
  // Where pg is found.
  symlinkSync(join(root, 'node_modules'), join(cli.folder, 'node_modules'));
});
afterAll(() => cli.remove());

/** Workers that are killed and replaced. */
class Fleet {
  readonly #scene: FleetScene;
  readonly #log;
  #started = 0;
  readonly #draining: ChildProcess[] = [];
  workers: ChildProcess[] = [];

  constructor(scene: FleetScene) {
    this.#scene = scene;
    this.#log = createWriteStream(join(scene.folder, 'workers.log'));
  }

  start(): void {
    const { url, folder, environment } = this.#scene;
    this.#started += 1;
    const home = join(folder, `home-${this.#started}`);
    const words = ['worker', '--postgres', url, '--slots', String(SLOTS), '--home', home];
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

  /** Lets the iterations of one end, and another takes its place. */
  drain(worker: ChildProcess | undefined): void {
    if (worker === undefined) return;
    this.workers = this.workers.filter((other) => other !== worker);
    this.#draining.push(worker);
    worker.kill('SIGTERM');
    this.start();
  }

  async end(): Promise<void> {
    for (const worker of [...this.workers, ...this.#draining]) {
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

async function outcomeOf({ database }: FleetScene, run: string): Promise<unknown> {
  const [row] = await database.query<{ outcome: unknown }>('select outcome from pawl.runs where id = $1', [run]);
  return row?.outcome;
}

describe('a fleet whose workers are killed and frozen and whose database goes down', () => {
  it('loses nothing and does nothing twice', async (context) => {
    const server = await postgres(context);
    const scene = await FleetScene.open(server, HEARTBEAT_SECONDS);
    const fleet = new Fleet(scene);
    try {
      const slow = { environment: { STEP_SECONDS: '0.2' } };
      const ids: string[] = [];
      for (let index = 0; index < RUNS; index++) {
        const batch = isInBatch(index) ? BATCH : undefined;
        ids.push(...(await scene.submit([STEPS], { ...slow, batch })));
      }
      await setLimit(scene.database, { kind: 'repository', key: '*', most: MOST_AT_ONCE });
      for (let count = 0; count < WORKERS; count++) fleet.start();
      await harm(scene, fleet, server.restart.bind(server));
      for (const [index, id] of ids.entries()) await checkRun(scene, id, isInBatch(index));
      await checkBatch(scene);
      await checkOverlap(scene);
    } finally {
      await fleet.end();
      await scene.close();
    }
  }, 1_200_000);
});

const isInBatch = (index: number) => index % BATCH_EVERY === 0;

/** One fault after the other until all runs have ended. */
async function harm(scene: FleetScene, fleet: Fleet, restart: () => Promise<void>): Promise<void> {
  for (let fault = 1; ; fault++) {
    await pause(2000 + Math.random() * 2000);
    const counts = await readFleet(scene.database, { limit: 1 }).then(
      (seen) => seen.counts,
      () => undefined,
    );
    if (counts !== undefined && counts.ended === RUNS) return;
    // A run whose workers die five times in a row before they record anything is given up, and rightly so.
    if (counts === undefined || (await mostCrashes(scene)) > 2) continue;
    if (fault % 6 === 2) {
      fleet.drain(fleet.any());
    } else if (fault % 6 === 3) {
      await restart();
    } else if (fault % 6 === 5) {
      const frozen = fleet.any();
      frozen?.kill('SIGSTOP');
      await pause(HEARTBEAT_SECONDS * 1000 + 4000);
      frozen?.kill('SIGCONT');
    } else {
      await fleet.kill(fleet.any());
    }
  }
}

async function mostCrashes({ database }: FleetScene): Promise<number> {
  const [row] = await database.query<{ crashes: number }>('select max(crashes)::int as crashes from pawl.runs');
  return row?.crashes ?? 0;
}

async function checkBatch({ database }: FleetScene): Promise<void> {
  const { spentUsd = 0 } = (await batchSpend(database, BATCH.id)) ?? {};
  expect(spentUsd).toBeGreaterThanOrEqual(BATCH.maxCostUsd);
  // No more than one call in each place beside the one that reached it.
  expect(spentUsd).toBeLessThan(BATCH.maxCostUsd + (MOST_AT_ONCE + 0.5) * STEP_USD);
}

interface AgentAtWork {
  readonly run: string;
  readonly from: number;
  readonly to: number;
}

/** From the start of each agent to the last that its worker recorded of it: the clock is that of this machine. */
async function agentsAtWork({ database }: FleetScene): Promise<readonly AgentAtWork[]> {
  const rows = await database.query<{ run: string; epoch: number; line: string }>(
    'select run, epoch, line from pawl.events order by run, seq',
  );
  const agents: { run: string; epoch: number; from: number; to: number; isOver: boolean }[] = [];
  for (const { run, epoch, line } of rows) {
    const { type, at } = JSON.parse(line) as { readonly type: string; readonly at: string };
    const last = agents.at(-1);
    if (type === 'agent-spawned') agents.push({ run, epoch, from: Date.parse(at), to: Date.parse(at), isOver: false });
    else if (last !== undefined && last.run === run && last.epoch === epoch && !last.isOver) {
      last.to = Date.parse(at);
      last.isOver = type === 'iteration-ended';
    }
  }
  return agents;
}

/** No two agents of a run at once, and never more of them than the limit lets. */
async function checkOverlap(scene: FleetScene): Promise<void> {
  const agents = await agentsAtWork(scene);
  const atOnce = agents.map(({ from, run }) =>
    agents.filter((other) => (other.from <= from && from < other.to) || (other.run === run && other.from === from)),
  );
  expect(atOnce.filter((others) => new Set(others.map(({ run }) => run)).size < others.length)).toEqual([]);
  expect(Math.max(...atOnce.map(({ length }) => length))).toBeLessThanOrEqual(MOST_AT_ONCE);
}

async function checkRun(scene: FleetScene, id: string, isCapped: boolean): Promise<void> {
  const record = await recordOf(scene, id);
  const events = record.map(({ event }) => event);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const epochs = record.map(({ epoch }) => epoch);
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  const end = events.at(-1);
  const outcome = await outcomeOf(scene, id);
  // What was spent before it could begin leaves no record.
  if (isCapped && end === undefined) return expect(outcome).toMatchObject({ class: 'limit' });
  expect(end).toMatchObject({
    type: 'run-ended',
    class: expect.stringMatching(isCapped ? /^(goal|limit)$/ : /^goal$/),
  });
  const isDone = end?.type === 'run-ended' && end.class === 'goal';
  expect(outcome).toMatchObject({ class: isDone ? 'goal' : 'limit' });
  const ended = events.flatMap((event) => (event.type === 'iteration-ended' ? [event] : []));
  // One whose agent never started gives its number back.
  const counted = ended.filter((event) => !isUnstarted(event));
  expect(counted.map(({ iteration }) => iteration)).toEqual(counted.map((_, index) => index + 1));
  // Every step once: what a dead worker had pushed was not done again.
  if (!isDone && counted.every(({ outcome: how }) => how !== 'completed')) return;
  const steps = scene.stepsOf(id);
  expect(steps).toEqual(steps.map((_, index) => `step ${index + 1}`));
  // A worker that died between its push and its record has made a step that no completed iteration tells of.
  const completed = counted.filter(({ outcome }) => outcome === 'completed').length;
  expect(steps.length).toBeGreaterThanOrEqual(Math.max(isDone ? STEPS : 0, completed));
  expect(steps.length).toBeLessThanOrEqual(counted.length);
  const tip = scene.git(scene.remote, 'log', '-1', '--format=%(trailers:key=Pawl-Iteration,valueonly)', `pawl/${id}`);
  const work = events.flatMap((event) => (event.type === 'work-committed' ? [event.iteration] : []));
  expect(Number(tip)).toBeGreaterThanOrEqual(work.at(-1) ?? 0);
  // One that goes on after such a death makes another step; one whose batch has spent all does not.
  if (isDone) expect(Number(tip)).toBe(work.at(-1));
}
