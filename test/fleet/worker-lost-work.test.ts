/** No work of an agent is lost without a word. */
import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fleetWorkers, hasEnded, runOf } from '../support/fleet-workers.js';
import { wishFor } from '../../src/fleet/commands.js';

const { sceneOf, start } = fleetWorkers();

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

describe('work that would be lost', () => {
  it.for([
    ['Pawl', { environment: { STEP_SECONDS: '0.2' } }],
    ['the agent', { line: 'cat >/dev/null; sleep 0.2; date +%N >>own; git add own; git commit -qm own' }],
  ] as const)('with a branch that was deleted ends a run whose work %s has committed', async ([, how], context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([9], how);
    start(scene);
    await runOf(scene, ({ iteration }) => iteration >= 2);
    await wishFor(scene.database, [id], 'pause');
    await runOf(scene, ({ state }) => state === 'queued');
    const tip = scene.git(scene.remote, 'rev-parse', `pawl/${id}`);
    scene.git(scene.remote, 'update-ref', '-d', `refs/heads/pawl/${id}`);
    await wishFor(scene.database, [id], null);
    const { outcome } = await runOf(scene, hasEnded);
    const why = new RegExp(`^its branch pawl/${id} no longer contains ${tip.slice(0, 7)}, .* after iteration \\d$`);
    expect(outcome).toMatchObject({ status: 'error', error: expect.stringMatching(why) });
    const [last] = await scene.database.query<{ line: string }>(
      'select line from pawl.events order by seq desc limit 1',
    );
    expect(JSON.parse(last?.line ?? '')).toMatchObject({ type: 'run-ended', error: expect.stringMatching(why) });
    expect(() => scene.git(scene.remote, 'rev-parse', '--verify', '--quiet', `pawl/${id}`)).toThrow('Command failed');
  });

  it('in a stash is kept with its tree when the run ends well, and named', async (context) => {
    const scene = await sceneOf(context);
    const line = `cat >/dev/null; echo x >>README.md; git stash -q -m 'another way'; echo "step 1" >steps.txt`;
    const [id = ''] = await scene.submit([1], { line });
    const lines: string[] = [];
    start(scene, { lines });
    const kept = join(scene.folder, 'worker', 'kept', `${id}.1`);
    expect((await runOf(scene, hasEnded)).outcome).toMatchObject({ class: 'goal', kept: `${hostname()}:${kept}` });
    expect(lines.join('\n')).toMatch(/ 2 commits .*another way.* kept in /);
    expect(scene.git(join(kept, 'tree'), 'stash', 'list')).toContain('another way');
  });

  it('with commits of the base that the agent has changed is refused and kept', async (context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { line: `cat >/dev/null; git commit -q --amend -m mine; echo "step 1" >steps.txt` });
    start(scene);
    const { outcome } = await runOf(scene, hasEnded);
    expect(outcome).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^the agent has changed commits .*pushed: /),
      kept: expect.any(String),
    });
  });

  it.for([
    ['its tree', 'rm -rf "$PWD"'],
    ['its tree and what is beside it', 'rm -rf "$(dirname "$PWD")"'],
    ['all that the worker has', 'rm -rf "$PWD/../../../../worker"'],
  ] as const)('because the agent has removed %s is told as that', async ([, harm], context) => {
    const scene = await sceneOf(context);
    await scene.submit([1], { line: `cat >/dev/null; echo "step 1" >steps.txt; ${harm}` });
    const lines: string[] = [];
    start(scene, { lines });
    const { outcome } = await runOf(scene, hasEnded);
    expect(outcome).toMatchObject({ status: 'error', error: expect.stringMatching(/the folder .*tree is gone/) });
    expect(outcome).not.toHaveProperty('kept');
    expect(lines.join('\n')).toMatch(/the working tree .*tree is gone, .*no branch/);
    expect(filesIn(join(scene.folder, 'worker', 'kept'))).toEqual([]);
    expect(filesIn(join(scene.folder, 'worker', 'workspaces'))).toEqual([]);
  });
});
