/** The work of a run reaches its branch, or it is said and kept. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetScene } from '../support/fleet-scene.js';
import { eventsOf, fleetWorkers, hasEnded, runOf } from '../support/fleet-workers.js';
import { readFleet } from '../../src/fleet/fleet-status.js';
import type { RunOutcome } from '../../src/fleet/run-outcome.js';

const { atEnd, sceneOf, start } = fleetWorkers();

const hookOf = (scene: FleetScene) => join(scene.remote, 'hooks', 'pre-receive');
const refuseAll = (scene: FleetScene) =>
  writeFileSync(hookOf(scene), '#!/bin/sh\necho "the freeze is on" >&2\nexit 1\n', { mode: 0o755 });

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const MAKES_A_REPOSITORY = `cat >/dev/null; mkdir -p app; cd app; git init -q; echo x >inside; git add .
  git -c user.name=a -c user.email=a@b commit -qm own; cd ..; echo "step 1" >steps.txt`;

describe('the work of a run', () => {
  it('holds the files of a repository that its agent has made', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([1], { line: MAKES_A_REPOSITORY });
    start(scene);
    expect(await runOf(scene, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
    expect(scene.git(scene.remote, 'show', `pawl/${id}:app/inside`)).toBe('x');
  });

  it('that the remote does not take is told in the row of the run until it does', async (context) => {
    const scene = await sceneOf(context);
    refuseAll(scene);
    const [id = ''] = await scene.submit([1]);
    const lines: string[] = [];
    start(scene, { lines });
    const { trouble } = await runOf(scene, (run) => run.trouble !== undefined);
    expect(trouble).toMatch(/cannot be pushed: .*remote\.git .*: the freeze is on$/);
    expect(lines).toContainEqual(expect.stringMatching(`^${id}: .*cannot be pushed: .*; .*again in`));
    rmSync(hookOf(scene));
    expect(await runOf(scene, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
    expect((await readFleet(scene.database)).runs[0]).not.toHaveProperty('trouble');
    const committed = (await eventsOf(scene)).filter(({ type }) => type === 'work-committed');
    expect(committed).toEqual([expect.not.objectContaining({ error: expect.anything() })]);
  });

  it('does not keep a run from its limit on time: it is tried once more, said, and kept', async (context) => {
    const scene = await sceneOf(context);
    refuseAll(scene);
    const [id = ''] = await scene.submit([5], { flags: { 'max-duration': ['2s'] } });
    start(scene);
    const outcome = (await runOf(scene, hasEnded)).outcome as RunOutcome;
    expect(outcome.error).toMatch(/^a limit .*pushed: .*the freeze is on$/);
    const kept = join(scene.folder, 'worker', 'kept', `${id}.1`);
    expect(outcome.kept).toBe(`${hostname()}:${kept}`);
    expect(readFileSync(join(kept, 'tree', 'steps.txt'), 'utf8')).toBe('step 1\n');
    const events = await eventsOf(scene);
    expect(events.find(({ type }) => type === 'work-committed')).toMatchObject({
      commit: scene.git(join(kept, 'tree'), 'rev-parse', 'HEAD'),
      error: expect.stringContaining('the freeze is on'),
    });
    expect(events.find(({ type }) => type === 'iteration-ended')).toMatchObject({
      outcome: 'interrupted',
      interruption: 'unpushed',
      observation: { files: { changedFiles: 1 } },
    });
  });

  it('on a branch that has gone on elsewhere is told as such, and kept', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([2], { environment: { STEP_SECONDS: '0.2' } });
    const lines: string[] = [];
    start(scene, { lines });
    await until(async () => (await eventsOf(scene)).find(({ type }) => type === 'iteration-ended'));
    scene.push(`pawl/${id}`, 'foreign.txt');
    expect(await runOf(scene, hasEnded)).toMatchObject({ outcome: { class: 'goal' } });
    const events = await eventsOf(scene);
    const elsewhere = expect.stringContaining('someone else has pushed') as string;
    const lost = events.filter((event) => event.type === 'work-committed' && event.error !== undefined);
    expect(lost).toMatchObject([{ commit: expect.any(String), error: elsewhere }]);
    const ended = events.filter((event) => event.type === 'iteration-ended' && event.outcome !== 'completed');
    expect(ended).toMatchObject([{ iteration: 2, interruption: 'unpushed', error: elsewhere }]);
    expect(events.filter(({ type }) => type === 'run-resumed')).toMatchObject([{ cause: 'moved' }]);
    expect(JSON.stringify(events)).not.toContain('bad object');
    const kept = /what is on no branch is kept in (.*)$/m.exec(lines.join('\n'))?.[1] ?? '';
    expect(existsSync(join(kept, 'tree', 'steps.txt'))).toBe(true);
    // The goal was met in the tree that is lost, and once more where the run goes on.
    expect(scene.stepsOf(id)).toEqual(['step 1', 'step 2']);
    expect(scene.git(scene.remote, 'show', `pawl/${id}:foreign.txt`)).toBe('foreign.txt');
  });

  it('is not waited for when the worker is to end now and the remote does not answer at the start', async (context) => {
    const scene = await sceneOf(context);
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    atEnd(async () => void silent.close());
    const { port } = silent.address() as AddressInfo;
    await scene.submit([1], { repository: `http://127.0.0.1:${port}/a.git` });
    const asked = once(silent, 'connection');
    const worker = start(scene);
    const [socket] = (await asked) as [Socket];
    worker.drain(true);
    expect(await runOf(scene, ({ state }) => state !== 'running')).toMatchObject({ state: 'queued' });
    socket.destroy();
  });

  it('of a repository that cannot be reached tells why the run waits', async (context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { repository: 'http://127.0.0.1:1/a.git' });
    start(scene);
    expect(await runOf(scene, ({ state }) => state === 'waiting')).toMatchObject({
      trouble: expect.stringContaining('http://127.0.0.1:1/a.git cannot be reached'),
    });
  });
});
