/** Nobody holds a place who only waits, and what somebody says or wishes meanwhile is heard. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, type TestContext } from 'vitest';
import { FleetScene } from '../../test/support/fleet-scene.js';
import { sharedPostgres } from '../../test/support/postgres.js';
import type { RunEvent } from '../model/run-event.js';
import { sendCommand, wishFor } from './commands.js';
import { type FleetRun, readFleet } from './fleet-status.js';
import type { Database, Query } from './database.js';
import { DatabaseUnreachable } from './database-error.js';
import { Worker, type WorkerOptions } from './worker.js';

const postgres = sharedPostgres();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Start = (changes?: Partial<Pick<WorkerOptions, 'database' | 'home' | 'onLine'>>) => void;

async function workedOn(context: TestContext): Promise<{ scene: FleetScene; start: Start }> {
  const scene = await FleetScene.open(await postgres(context));
  ends.push(() => scene.close());
  const { database, environment, folder } = scene;
  const home = join(folder, 'worker');
  const usual = { database, home, slots: 1, labels: [], ttlMs: 3000, environment, onLine: () => {} };
  const start: Start = (changes) => {
    const worker = new Worker({ ...usual, ...changes });
    const working = worker.work();
    ends.push(async () => {
      worker.drain(true);
      await working;
    });
  };
  return { scene, start };
}

async function runOf(scene: FleetScene, id: string, is: (run: FleetRun) => boolean): Promise<FleetRun> {
  for (;;) {
    const found = (await readFleet(scene.database)).runs.find((run) => run.id === id && is(run));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

async function typesOf({ database }: FleetScene, run: string): Promise<readonly string[]> {
  const rows = await database.query<{ line: string }>('select line from pawl.events where run = $1 order by seq', [
    run,
  ]);
  return rows.map(({ line }) => (JSON.parse(line) as RunEvent).type);
}

const hasEnded = ({ state }: FleetRun) => state === 'ended';

it('a run that its own hook pauses gives its place to others, stays paused when it is told something, and goes on', async (context) => {
  const { scene, start } = await workedOn(context);
  const go = join(scene.folder, 'go');
  const config = `hooks: { before_iteration: { command: "test -e '${go}'", on_failure: pause } }\n`;
  const [paused = ''] = await scene.submit([1], { config });
  const [other = ''] = await scene.submit([1]);
  start();
  expect(await runOf(scene, other, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
  await runOf(scene, paused, ({ state }) => state === 'waiting');
  await sendCommand(scene.database, paused, { type: 'steer', text: 'look twice' }, 'ann');
  for (;;) {
    const types = await typesOf(scene, paused);
    if (types.includes('run-resumed') && types.includes('command-received')) break;
  }
  await runOf(scene, paused, ({ state }) => state === 'waiting');
  expect(await typesOf(scene, paused)).not.toContain('resumed');
  writeFileSync(go, '');
  await sendCommand(scene.database, paused, { type: 'resume' }, 'ann');
  expect(await runOf(scene, paused, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
});

it.for(['cancel', 'pause'] as const)('a clone that hangs does not keep a run from a %s', async (wish, context) => {
  const { scene, start } = await workedOn(context);
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  ends.push(async () => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const [id = ''] = await scene.submit([1], { repository: `http://127.0.0.1:${port}/a.git` });
  const asked = once(silent, 'connection');
  start();
  const [socket] = (await asked) as [Socket];
  ends.push(async () => void socket.destroy());
  await wishFor(scene.database, [id], wish);
  const found = await runOf(scene, id, ({ state }) => state !== 'running');
  if (wish === 'pause') return expect(found).toMatchObject({ state: 'queued' });
  expect(await runOf(scene, id, hasEnded)).toMatchObject({ outcome: { status: 'stopped', class: 'operator' } });
});

/** Does the first claim that hands something out, and tells nobody. */
function losingAnswer(database: Database): Database {
  let isLost = false;
  return {
    ...database,
    async transaction<T>(work: (query: Query) => Promise<T>) {
      let hasClaimed = false;
      const result = await database.transaction((query) =>
        work(async <Row extends object>(text: string, values?: readonly unknown[]) => {
          const rows = await query<Row>(text, values);
          hasClaimed ||= text.includes("set state = 'running'") && rows.length > 0;
          return rows;
        }),
      );
      if (isLost || !hasClaimed) return result;
      isLost = true;
      throw new DatabaseUnreachable('the connection was cut');
    },
  };
}

it('a run that was handed out and never heard of is not forgotten', async (context) => {
  const { scene, start } = await workedOn(context);
  const [id = ''] = await scene.submit([1]);
  const lines: string[] = [];
  start({ database: losingAnswer(scene.database), onLine: (line) => lines.push(line) });
  expect(await runOf(scene, id, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
  expect(lines).toContainEqual(expect.stringMatching(/is queued again: this worker was given it/));
});

it('a worker that cannot write takes nothing more, and others do what it could not', async (context) => {
  const { scene, start } = await workedOn(context);
  const ids = await scene.submit([1, 1]);
  const blocked = join(scene.folder, 'a-file');
  writeFileSync(blocked, '');
  const lines: string[] = [];
  start({ home: join(blocked, 'home'), onLine: (line) => lines.push(line) });
  const [first = '', second = ''] = ids;
  expect(await runOf(scene, first, ({ trouble }) => trouble !== undefined)).toMatchObject({ state: 'queued' });
  expect(lines).toContainEqual('this worker takes no run for 60 s');
  expect(await runOf(scene, second, () => true)).toMatchObject({ state: 'queued' });
  start();
  for (const id of ids) expect(await runOf(scene, id, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
});
