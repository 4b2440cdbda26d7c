import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LoopRunner } from 'pawl';
import { claimRun, releaseRun } from '../../src/fleet/engine/claim.js';
import { PostgresEngine } from '../../src/fleet/engine/postgres-engine.js';
import { readFleet } from '../../src/fleet/fleet-status.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';
import { Worker } from '../../src/fleet/worker.js';
import { newRunId } from '../../src/journal/run-places.js';
import { FleetScene } from '../../test/support/fleet-scene.js';
import { TestPostgres } from '../../test/support/test-postgres.js';
import { median, milliseconds, report } from '../measure.js';

const TAKEOVERS = 3;
/** The default, and the shortest that there is. */
const HEARTBEATS = [30, 10] as const;
const LOOKING_MS = 5000;
const ITERATIONS = 60;
const QUEUED = 1000;
const REAL = 60;

const bin = resolve('dist/bin/pawl.js');
spawnSync(process.execPath, ['scripts/build.mjs', '--cli-if-stale'], { stdio: 'inherit' });
const postgres = await TestPostgres.start();

async function inScene<T>(work: (scene: FleetScene) => Promise<T>, heartbeatSeconds = 30): Promise<T> {
  const scene = await FleetScene.open(postgres, heartbeatSeconds);
  try {
    return await work(scene);
  } finally {
    await scene.close();
  }
}

function startWorker({ url, folder, environment }: FleetScene, number: number): ChildProcess {
  const words = ['worker', '--postgres', url, '--slots', '1', '--home', join(folder, `home-${number}`)];
  return spawn(process.execPath, [bin, ...words], {
    cwd: folder,
    env: environment,
    stdio: 'ignore',
  });
}

/** Milliseconds from the death of a worker to the next agent of its run, on another one. */
async function takeover(scene: FleetScene): Promise<number> {
  const [id = ''] = await scene.submit([500], { environment: { STEP_SECONDS: '0.1' } });
  const workers = new Map<number, ChildProcess>();
  for (const number of [1, 2]) {
    const worker = startWorker(scene, number);
    workers.set(worker.pid ?? 0, worker);
  }
  const iterationsIn = async (epoch: string) => {
    const [row] = await scene.database.query<{ count: number }>(
      `select count(*)::int as count from pawl.events where run = $1 and epoch ${epoch} and line like '%"agent-spawned"%'`,
      [id],
    );
    return row?.count ?? 0;
  };
  while ((await iterationsIn('= 1')) < 3) await pause(20);
  while ((await readFleet(scene.database)).workers.length < 2) await pause(20);
  const { workers: known } = await readFleet(scene.database);
  const holder = known.find(({ running }) => running > 0);
  workers.get(holder?.pid ?? 0)?.kill('SIGKILL');
  const killedAt = performance.now();
  while ((await iterationsIn('> 1')) === 0) await pause(5);
  const took = performance.now() - killedAt;
  for (const worker of workers.values()) {
    worker.kill('SIGKILL');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
  }
  await scene.database.query(`update pawl.runs set state = 'ended' where id = $1`, [id]);
  return took;
}

const INSTANT = 'cat >/dev/null';
const CHANGING = 'cat >/dev/null; date +%N >>changes.txt';

const configOf = (iterations: number) => `iteration_delay: 0s
track_file_changes: false
stop: { limits: [{ max_iterations: ${iterations} }] }
`;

/** Milliseconds of an iteration of a run on a worker, from the times of its record. */
async function onWorker(scene: FleetScene, line: string): Promise<number> {
  const id = newRunId();
  const spec = { config: configOf(ITERATIONS), flags: { prompt: 'go', command: ['sh', '-c', line] } };
  await submitRuns(scene.database, [{ id, repository: scene.remote, base: 'main', spec }]);
  const worker = new Worker({
    now: Date.now,
    engine: new PostgresEngine(scene.database),
    home: join(scene.folder, 'home'),
    slots: 1,
    labels: [],
    environment: scene.environment,
    onLine: () => undefined,
  });
  const working = worker.work();
  while ((await readFleet(scene.database, { ids: [id] })).runs[0]?.state !== 'ended') await pause(50);
  worker.drain();
  await working;
  const rows = await scene.database.query<{ line: string }>(
    `select line from pawl.events where run = $1 and line like '%"iteration-started"%' order by seq`,
    [id],
  );
  return periodOf(rows.map(({ line: text }) => Date.parse((JSON.parse(text) as { at: string }).at)));
}

/** The same of a run in a clone, with a journal on disk. */
async function onDisk(scene: FleetScene, line: string): Promise<number> {
  const folder = join(scene.folder, `local-${performance.now()}`);
  scene.git(scene.folder, 'clone', '--quiet', scene.remote, folder);
  const runner = new LoopRunner(
    {
      workingDir: folder,
      prompt: 'go',
      agent: { command: ['sh', '-c', line] },
      iterationDelay: 0,
      trackFileChanges: false,
      commit: 'iteration',
      maxIterations: ITERATIONS,
    },
    { environment: scene.environment },
  );
  const starts: number[] = [];
  runner.subscribe((event) => event.type === 'iteration-started' && starts.push(performance.now()));
  await runner.run();
  return periodOf(starts);
}

function periodOf(starts: readonly number[]): number {
  const [first = 0] = starts.slice(2);
  return ((starts.at(-1) ?? 0) - first) / (starts.length - 3);
}

/** Milliseconds of `git push` of one more commit. */
function barePush(scene: FleetScene): number {
  const folder = join(scene.folder, 'pushes');
  scene.git(scene.folder, 'clone', '--quiet', scene.remote, folder);
  scene.git(folder, 'checkout', '--quiet', '-b', 'pushes');
  const times = Array.from({ length: 20 }, (_, index) => {
    writeFileSync(join(folder, 'changes.txt'), `${index}\n`);
    scene.git(folder, 'add', '.');
    scene.git(folder, 'commit', '--quiet', '-m', `change ${index}`);
    const start = performance.now();
    scene.git(folder, 'push', '--quiet', 'origin', 'pushes');
    return performance.now() - start;
  });
  return median(times);
}

async function addedPerIteration(): Promise<{ without: number; withPush: number; push: number }> {
  return inScene(async (scene) => {
    const without: number[] = [];
    const withPush: number[] = [];
    const push: number[] = [];
    for (let round = 0; round < 3; round++) {
      without.push((await onWorker(scene, INSTANT)) - (await onDisk(scene, INSTANT)));
      withPush.push((await onWorker(scene, CHANGING)) - (await onDisk(scene, CHANGING)));
      push.push(await inScene(async (own) => barePush(own)));
    }
    return { without: median(without), withPush: median(withPush), push: median(push) };
  });
}

/** The most at once, while eight runs are worked on. */
async function connectionsOfWorker(scene: FleetScene): Promise<number> {
  await scene.submit(Array.from({ length: 8 }, () => 4));
  const words = ['worker', '--postgres', scene.url, '--slots', '8', '--home', join(scene.folder, 'home')];
  const worker = spawn(process.execPath, [bin, ...words], {
    cwd: scene.folder,
    env: scene.environment,
    stdio: 'ignore',
  });
  let most = 0;
  while ((await readFleet(scene.database, { limit: 1 })).counts.ended < 8) {
    const held = await scene.database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'pawl'`,
    );
    most = Math.max(most, held.length);
    await pause(20);
  }
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  return most;
}

async function queueRates(): Promise<{ submit: number; drain: number }> {
  return inScene(async ({ database, remote }) => {
    const runs = Array.from({ length: QUEUED }, () => ({ id: newRunId(), repository: remote, base: 'main', spec: {} }));
    const submit = await milliseconds(() => submitRuns(database, runs));
    const drain = await milliseconds(() => Promise.all([1, 2, 3, 4].map(() => drainQueue(database))));
    return { submit, drain };
  });
}

async function drainQueue(database: FleetScene['database']): Promise<void> {
  for (;;) {
    const run = await claimRun(database, { id: 'bench', labels: [] });
    if (run === undefined) break;
    await releaseRun(database, run, { state: 'ended', outcome: {} });
  }
}

/** Runs a second of whole runs, each with a working tree, one iteration and a push, on three workers of two slots. */
async function wholeRuns(): Promise<number> {
  return inScene(async (scene) => {
    const spec = { config: configOf(1), flags: { prompt: 'go', command: ['sh', '-c', CHANGING] } };
    const runs = Array.from({ length: REAL }, () => ({ id: newRunId(), repository: scene.remote, base: 'main', spec }));
    mkdirSync(join(scene.folder, 'homes'));
    const workers = [1, 2, 3].map((number) => startWorker(scene, number));
    while ((await readFleet(scene.database)).workers.length < 3) await pause(20);
    await submitRuns(scene.database, runs);
    const took = await milliseconds(async () => {
      while ((await readFleet(scene.database, { limit: 1 })).counts.ended < REAL) await pause(50);
    });
    for (const worker of workers) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
    return (REAL / took) * 1000;
  });
}

try {
  const takeovers = [];
  for (const seconds of HEARTBEATS) {
    const times: number[] = [];
    for (let round = 0; round < TAKEOVERS; round++) times.push(await inScene(takeover, seconds));
    takeovers.push({ seconds, times });
  }
  const connections = await inScene(connectionsOfWorker);
  const added = await addedPerIteration();
  const { submit, drain } = await queueRates();
  const whole = await wholeRuns();
  const ratio = added.withPush / added.push;
  report('The fleet', [
    ...takeovers.map(({ seconds, times }) => ({
      what: `kill -9 of a worker to the next agent with --ttl ${seconds}s, the longest of ${TAKEOVERS}`,
      figure: times.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', '),
      bound: `< ${seconds + LOOKING_MS / 1000} s`,
      holds: Math.max(...times) < seconds * 1000 + LOOKING_MS,
    })),
    { what: 'connections of a worker with 8 slots', figure: `${connections}`, bound: '<= 4', holds: connections <= 4 },
    {
      what: 'added to an iteration without a push',
      figure: `${added.without.toFixed(1)} ms`,
      bound: '<= 20 ms',
      holds: added.without <= 20,
    },
    { what: 'a bare git push', figure: `${added.push.toFixed(1)} ms` },
    {
      what: 'added to an iteration with a push',
      figure: `${added.withPush.toFixed(1)} ms, ${ratio.toFixed(2)} x`,
      bound: '<= 1.5 x a bare push',
      holds: ratio <= 1.5,
    },
    { what: `submit ${QUEUED} runs`, figure: `${submit.toFixed(0)} ms` },
    { what: `hand out and end ${QUEUED} runs, 4 at a time`, figure: `${((QUEUED / drain) * 1000).toFixed(0)} runs/s` },
    { what: 'whole runs of one iteration, 3 workers', figure: `${whole.toFixed(1)} runs/s` },
  ]);
} finally {
  await postgres.remove();
}
