/** Nobody holds a place who only waits, and what somebody says or wishes meanwhile is heard. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FleetScene } from '../support/fleet-scene.js';
import { eventsOf, fleetWorkers, hasEnded, runOf, silence } from '../support/fleet-workers.js';
import { sendQuestion } from '../../src/run/control-client.js';
import { findSockets } from '../../src/run/control-place.js';
import { sendCommand, wishFor } from '../../src/fleet/commands.js';
import type { FleetRun } from '../../src/fleet/fleet-status.js';
import type { Query } from '../../src/fleet/database.js';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { DatabaseUnreachable } from '../../src/fleet/database-error.js';

const { atEnd, sceneOf, start } = fleetWorkers();

const isOf =
  (id: string, is: (run: FleetRun) => boolean = () => true) =>
  (run: FleetRun): boolean =>
    run.id === id && is(run);

const typesOf = async (scene: FleetScene, run: string) => (await eventsOf(scene, run)).map(({ type }) => type);

it('a run that its own hook pauses gives its place to others, stays paused when it is told something, and goes on', async (context) => {
  const scene = await sceneOf(context);
  const go = join(scene.folder, 'go');
  const config = `hooks: { before_iteration: { command: "test -e '${go}'", on_failure: pause } }\n`;
  const [paused = ''] = await scene.submit([1], { config });
  const [other = ''] = await scene.submit([1]);
  start(scene);
  expect(await runOf(scene, isOf(other, hasEnded))).toMatchObject({ outcome: { class: 'goal' } });
  await runOf(
    scene,
    isOf(paused, ({ state }) => state === 'waiting'),
  );
  for (let steers = 1; steers <= 4; steers++) {
    await sendCommand(scene.database, paused, { type: 'steer', text: 'look twice' }, 'ann');
    while ((await typesOf(scene, paused)).filter((type) => type === 'command-received').length < steers);
    const resting = await runOf(
      scene,
      isOf(paused, ({ state }) => state === 'waiting'),
    );
    expect(resting.pausedFor).toContain('before_iteration');
  }
  expect(await typesOf(scene, paused)).not.toContain('resumed');
  writeFileSync(go, '');
  await sendCommand(scene.database, paused, { type: 'resume' }, 'ann');
  expect(await runOf(scene, isOf(paused, hasEnded))).toMatchObject({ outcome: { class: 'goal' } });
});

it.for(['cancel', 'pause'] as const)('a clone that hangs does not keep a run from a %s', async (wish, context) => {
  const scene = await sceneOf(context);
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  atEnd(async () => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const [id = ''] = await scene.submit([1], { repository: `http://127.0.0.1:${port}/a.git` });
  const asked = once(silent, 'connection');
  start(scene);
  const [socket] = (await asked) as [Socket];
  atEnd(async () => void socket.destroy());
  await wishFor(scene.database, [id], wish);
  const found = await runOf(
    scene,
    isOf(id, ({ state }) => state !== 'running'),
  );
  if (wish === 'pause') return expect(found).toMatchObject({ state: 'queued' });
  expect(await runOf(scene, isOf(id, hasEnded))).toMatchObject({ outcome: { status: 'stopped', class: 'operator' } });
});

/** Does the first claim that hands something out, and tells nobody. */
function losingAnswer(database: Fleet): Fleet {
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
  const scene = await sceneOf(context);
  const [id = ''] = await scene.submit([1]);
  const lines: string[] = [];
  start(scene, { database: losingAnswer(scene.database), lines });
  await runOf(
    scene,
    isOf(id, ({ epoch }) => epoch === 1),
  );
  await silence(scene);
  expect(await runOf(scene, isOf(id, hasEnded))).toMatchObject({ epoch: 2, outcome: { class: 'goal' } });
});

it('a worker that cannot write takes nothing more, and others do what it could not', async (context) => {
  const scene = await sceneOf(context);
  const ids = await scene.submit([1, 1]);
  const blocked = join(scene.folder, 'a-file');
  writeFileSync(blocked, '');
  const lines: string[] = [];
  start(scene, { home: join(blocked, 'home'), lines });
  const [first = '', second = ''] = ids;
  expect(
    await runOf(
      scene,
      isOf(first, ({ trouble }) => trouble !== undefined),
    ),
  ).toMatchObject({ state: 'queued' });
  expect(lines).toContainEqual(expect.stringMatching(/no run for 60 s/));
  expect(await runOf(scene, isOf(second))).toMatchObject({ state: 'queued' });
  start(scene);
  for (const id of ids) expect(await runOf(scene, isOf(id, hasEnded))).toMatchObject({ outcome: { class: 'goal' } });
});

it('a run whose agent asks a person gives its place to others, and continues with the answer', async (context) => {
  const scene = await sceneOf(context);
  const place = (name: string) => join(scene.folder, name);
  const line = [
    `cat > '${place('prompt')}'; printf '%s %s' "$PAWL_COOKIE" "$PAWL_CLAIM_KEY" > '${place('who.part')}'`,
    `mv '${place('who.part')}' '${place('who')}'; while [ ! -e '${place('go')}' ]; do sleep 0.02; done`,
    `if grep -q 'The answer: blue' '${place('prompt')}'; then echo step 1 > steps.txt; fi`,
  ].join('\n');
  const [asking = ''] = await scene.submit([1], { line, config: 'questions: { call_wait: 0 }\n' });
  start(scene);
  while (!existsSync(place('who'))) await new Promise((resolve) => setTimeout(resolve, 20));
  const [cookie = '', key = ''] = readFileSync(place('who'), 'utf8').split(' ');
  const [socket = ''] = findSockets(asking, scene.environment);
  const report = { question: { text: 'Which one?', choices: ['red', 'blue'] }, cookie, key };
  await sendQuestion({ socket, runId: asking, report, by: 'the agent' });
  writeFileSync(place('go'), '');
  const waiting = await runOf(
    scene,
    isOf(asking, ({ state }) => state === 'waiting'),
  );
  expect(waiting.waitsFor).toBe('person');
  const [other = ''] = await scene.submit([1]);
  expect(await runOf(scene, isOf(other, hasEnded))).toMatchObject({ outcome: { class: 'goal' } });
  await sendCommand(scene.database, asking, { type: 'answer', text: '2' }, 'ann');
  expect(await runOf(scene, isOf(asking, hasEnded))).toMatchObject({ outcome: { class: 'goal' } });
});
