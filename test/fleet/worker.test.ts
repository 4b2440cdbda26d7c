import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetScene } from '../support/fleet-scene.js';
import { eventsOf, fleetWorkers } from '../support/fleet-workers.js';
import { connectPostgres } from '../../src/fleet/connect-postgres.js';
import type { Query } from '../../src/fleet/database.js';
import { type Fleet, openFleet } from '../../src/fleet/open-fleet.js';
import { DatabaseUnreachable } from '../../src/fleet/database-error.js';
import { sendCommand, wishFor } from '../../src/fleet/commands.js';
import { readFleet } from '../../src/fleet/fleet-status.js';

const { atEnd, sceneOf, start } = fleetWorkers();

async function ended(scene: FleetScene, count: number) {
  for (;;) {
    const { counts, runs } = await readFleet(scene.database);
    if (counts.ended >= count) return runs;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a worker', () => {
  it('works on submitted runs, and their branches hold what was done', async (context) => {
    const scene = await sceneOf(context);
    const ids = await scene.submit([3, 2, 1]);
    const lines: string[] = [];
    start(scene, { slots: 2, lines });
    const runs = await ended(scene, 3);
    expect(runs.map(({ outcome }) => outcome)).toMatchObject([{ class: 'goal' }, { class: 'goal' }, { class: 'goal' }]);
    expect(ids.map((id) => scene.stepsOf(id).length)).toEqual([3, 2, 1]);
    const message = scene.git(scene.remote, 'log', '-1', '--format=%B', `pawl/${ids[0]}`);
    expect(message).toContain(`Pawl-Run: ${ids[0]}`);
    expect(message).toContain('Pawl-Iteration: 3');
    expect(message).toContain('Pawl-Epoch: 1');
  });

  it('lets go of a run that waits for the provider, and another continues it in time', async (context) => {
    const scene = await sceneOf(context);
    const [waiting = ''] = await scene.submit([2], { environment: { LIMITED_ONCE: join(scene.folder, 'limited') } });
    const [other = ''] = await scene.submit([1]);
    start(scene);
    await ended(scene, 1);
    const runs = await readFleet(scene.database);
    expect(runs.runs.find(({ id }) => id === other)).toMatchObject({ state: 'ended' });
    expect(runs.runs.find(({ id }) => id === waiting)).toMatchObject({ state: 'waiting' });
    await sendCommand(scene.database, waiting, { type: 'resume' }, 'a person');
    await ended(scene, 2);
    expect(scene.stepsOf(waiting)).toEqual(['step 1', 'step 2']);
    const causes = (await eventsOf(scene, waiting)).filter(({ type }) => type === 'run-resumed');
    expect(causes).toMatchObject([{ cause: 'moved' }]);
  });

  it('ends a run that is cancelled, keeps one that is paused, and tells the agent what somebody says', async (context) => {
    const scene = await sceneOf(context);
    const [cancelled = '', paused = ''] = await scene.submit([50, 3], { environment: { STEP_SECONDS: '0.3' } });
    const worker = start(scene, { slots: 2 });
    await until(async () => (await eventsOf(scene, paused)).some(({ type }) => type === 'iteration-ended'));
    await sendCommand(scene.database, paused, { type: 'steer', text: 'mind the gap' }, 'a person');
    await wishFor(scene.database, [paused], 'pause');
    await wishFor(scene.database, [cancelled], 'cancel');
    const run = (await ended(scene, 1)).find(({ id }) => id === cancelled);
    expect(run).toMatchObject({ outcome: { class: 'operator' } });
    await until(async () => (await stateOf(scene, paused)) === 'queued');
    await wishFor(scene.database, [paused], null);
    await ended(scene, 2);
    expect(scene.stepsOf(paused)).toHaveLength(3);
    const commands = (await eventsOf(scene, paused)).filter(({ type }) => type === 'command-received');
    expect(commands).toMatchObject([{ command: { type: 'steer', text: 'mind the gap' }, by: 'a person' }]);
    worker.drain();
  });

  it('holds at most four connections, however many runs it has', async (context) => {
    const scene = await sceneOf(context);
    await scene.submit([2, 2, 2, 2, 2, 2], { batch: { id: 'night', maxCostUsd: 5 } });
    const four = { applicationName: 'the worker', connections: 4 };
    const database = await openFleet(await connectPostgres(scene.url, process.env, four), { isWorker: true });
    atEnd(() => database.close());
    start(scene, { slots: 6, database });
    let most = 0;
    while ((await readFleet(scene.database)).counts.ended < 6) {
      const held = await scene.database.query(`select from pg_stat_activity where application_name = 'the worker'`);
      most = Math.max(most, held.length);
    }
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  });

  it('puts a run back between two iterations before the engine would take it away, and loses nothing', async (context) => {
    const scene = await sceneOf(context);
    await scene.database.query(`update pawl_jobs.queue set expire_seconds = 4 where name = 'runs'`);
    const [id = ''] = await scene.submit([6], { environment: { STEP_SECONDS: '0.8' } });
    await scene.database.query('update pawl_jobs.job set expire_seconds = 4');
    start(scene);
    const [run] = await ended(scene, 1);
    expect(run).toMatchObject({ id, crashes: 0, outcome: { class: 'goal' } });
    expect(run?.epoch).toBeGreaterThan(1);
    expect(scene.stepsOf(id)).toHaveLength(6);
    const iterations = (await eventsOf(scene, id)).filter(({ type }) => type === 'iteration-ended');
    expect(iterations).toHaveLength(6);
  });

  it('says why a repository cannot be had, and loses nothing of the run', async (context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { repository: join(scene.folder, 'nowhere.git') });
    const lines: string[] = [];
    start(scene, { lines });
    const [run] = await ended(scene, 1);
    expect(run).toMatchObject({ outcome: { status: 'error', error: expect.stringContaining('nowhere.git') } });
  });

  it('whose branch has gone on without it says so, and goes on from its tip', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([4], { environment: { STEP_SECONDS: '0.2' } });
    const lines: string[] = [];
    start(scene, { lines });
    await until(async () => (await eventsOf(scene, id)).some(({ type }) => type === 'iteration-ended'));
    scene.push(`pawl/${id}`, 'foreign.txt');
    await ended(scene, 1);
    expect(lines.join('\n')).toContain('someone else has pushed');
    expect(scene.stepsOf(id)).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
    expect(scene.git(scene.remote, 'show', `pawl/${id}:foreign.txt`)).toBe('foreign.txt');
    expect((await eventsOf(scene, id)).at(-1)).toMatchObject({ type: 'run-ended', class: 'goal' });
  });

  it.for([
    [
      'leaves work that cannot be committed',
      'cat; echo "step 1" >steps.txt; touch .git/index.lock',
      /not be committed/,
    ],
    [
      'changes what was pushed',
      'cat; date +%N >>h; git -c user.name=a -c user.email=a@b commit -qam a --amend || :',
      /has changed commits/,
    ],
    ['takes the repository away', 'cat; echo x >>steps.txt; rm -rf .git', /not a git repository|committed/],
  ] as const)('says why it ends a run whose agent %s', async ([, line, why], context) => {
    const scene = await sceneOf(context);
    await scene.submit([3], { line });
    const lines: string[] = [];
    start(scene, { lines });
    const [run] = await ended(scene, 1);
    expect(run?.outcome).toMatchObject({ status: 'error', error: expect.stringMatching(why) });
    const kept = /is kept in (.*)$/m.exec(lines.join('\n'))?.[1];
    expect(existsSync(join(kept ?? '', 'tree', line.includes('--amend') ? 'h' : 'steps.txt'))).toBe(true);
  });

  it.for([
    ['the record is read', 'repeatable read'],
    ['the budget of the batch is looked at', 'max_cost_usd as budget'],
  ] as const)('queues a run again when the database goes away while %s', async ([, statement], context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { batch: { id: 'night', maxCostUsd: 5 } });
    const lines: string[] = [];
    start(scene, { lines, database: goingAwayOnce(scene.database, statement) });
    const [run] = await ended(scene, 1);
    expect(run?.outcome).toMatchObject({ class: 'goal' });
    expect(lines).toContainEqual(expect.stringMatching(/is queued$/));
  });

  it('brings what the agent of a cancelled run had done to its branch', async (context) => {
    const scene = await sceneOf(context);
    const done = join(scene.folder, 'done');
    const [id = ''] = await scene.submit([3], { line: `cat; echo begun >steps.txt; touch '${done}'; sleep 60` });
    start(scene);
    await until(async () => existsSync(done));
    await wishFor(scene.database, [id], 'cancel');
    const [run] = await ended(scene, 1);
    expect(run?.outcome).toMatchObject({ status: 'stopped', class: 'operator' });
    expect(scene.stepsOf(id)).toEqual(['begun']);
  });

  it('lets a run be cancelled whose remote takes nothing', async (context) => {
    const scene = await sceneOf(context);
    writeFileSync(join(scene.remote, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const [id = ''] = await scene.submit([3]);
    const lines: string[] = [];
    start(scene, { lines });
    await until(async () => lines.some((line) => line.includes('it is tried again')));
    await wishFor(scene.database, [id], 'cancel');
    const [run] = await ended(scene, 1);
    expect(run?.outcome).toMatchObject({ error: expect.stringMatching(/cancelled before.*pushed/) });
  });

  it('that drains ends its iterations, and another worker goes on where they ended', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([4], { environment: { STEP_SECONDS: '0.2' } });
    const first = start(scene);
    await until(async () => (await eventsOf(scene, id)).some(({ type }) => type === 'iteration-started'));
    first.drain();
    await until(async () => (await stateOf(scene, id)) === 'queued');
    expect((await eventsOf(scene, id)).at(-1)?.type).not.toBe('run-ended');
    start(scene);
    await ended(scene, 1);
    expect(scene.stepsOf(id)).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
    const iterations = (await eventsOf(scene, id)).filter(({ type }) => type === 'iteration-ended');
    expect(iterations).toHaveLength(4);
  });
});

/** Loses its connection in the first statement that holds these words. */
function goingAwayOnce(database: Fleet, words: string): Fleet {
  let isOver = false;
  const guarded =
    (query: Query): Query =>
    async (text, values) => {
      if (isOver || !text.includes(words)) return query(text, values);
      isOver = true;
      throw new DatabaseUnreachable('it is shutting down');
    };
  return {
    ...database,
    query: guarded(database.query),
    transaction: (work) => database.transaction((query) => work(guarded(query))),
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 30));
}

async function stateOf({ database }: FleetScene, run: string): Promise<string | undefined> {
  const [row] = await database.query<{ state: string }>('select state from pawl.runs where id = $1', [run]);
  return row?.state;
}
