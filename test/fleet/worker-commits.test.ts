/** What the record of a run says of its commits. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FleetScene } from '../support/fleet-scene.js';
import { eventsOf, fleetWorkers, hasEnded, runOf } from '../support/fleet-workers.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';

const { sceneOf, start } = fleetWorkers();

/** Works until the only run has ended. */
async function work(scene: FleetScene): Promise<readonly RunEvent[]> {
  start(scene);
  await runOf(scene, hasEnded);
  return eventsOf(scene);
}

/** As if the worker had died at the push of the second iteration. */
async function dieAtSecondPush(scene: FleetScene): Promise<void> {
  const { seq = 0 } =
    (await eventsOf(scene)).find((event) => event.type === 'work-committed' && event.iteration === 2) ?? {};
  await scene.database.query('delete from pawl.events where seq >= $1', [seq]);
  await scene.database.query(
    `update pawl.runs set state = 'queued', outcome = null, ended_at = null, worker = null, last_seq = $1`,
    [seq - 1],
  );
}

const OWN = `cat >/dev/null; for n in 1 2; do echo "step 1" >>steps.txt
  git add .; git -c user.name=a -c user.email=a@b commit -qm "own $n"; done`;
const STEPS = `cat >>"$LEDGER"; echo "step $(($(wc -l <steps.txt 2>/dev/null || echo 0) + 1))" >>steps.txt`;

describe('the record of a run', () => {
  it('tells of the commits that its agent has made by itself', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([1], { line: OWN });
    const events = await work(scene);
    const commit = scene.git(scene.remote, 'rev-parse', `pawl/${id}`);
    expect(scene.git(scene.remote, 'log', '-1', '--format=%s', commit)).toBe('own 2');
    expect(events.filter(({ type }) => type === 'work-committed')).toMatchObject([
      { iteration: 1, commit, commits: 2 },
    ]);
    expect(reduceAll(events).commits).toMatchObject({ made: 2 });
  });

  it('tells that the work of an iteration was pushed before its worker died, and so does the next prompt', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([2], { line: STEPS });
    await work(scene);
    const pushed = scene.git(scene.remote, 'rev-parse', `pawl/${id}`);
    await dieAtSecondPush(scene);
    const events = await work(scene);
    expect(events.filter(({ type }) => type === 'work-committed')).toMatchObject([
      { iteration: 1 },
      { iteration: 2, commit: pushed },
      { iteration: 3 },
    ]);
    const ended = events.find((event) => event.type === 'iteration-ended' && event.iteration === 2);
    expect(ended).toMatchObject({ interruption: 'crash' });
    expect(readFileSync(scene.ledger, 'utf8')).toMatch(/Iteration 2 was interrupted after.* committed/);
    expect(scene.stepsOf(id)).toEqual(['step 1', 'step 2', 'step 3']);
  });

  it('does not say that an iteration changed nothing whose tree was lost', async (context) => {
    const scene = await sceneOf(context);
    const [id = ''] = await scene.submit([2], { line: STEPS });
    await work(scene);
    await dieAtSecondPush(scene);
    scene.git(scene.remote, 'update-ref', `refs/heads/pawl/${id}`, `pawl/${id}~1`);
    const events = await work(scene);
    const ended = events.find((event) => event.type === 'iteration-ended' && event.iteration === 2);
    expect(ended).toMatchObject({
      interruption: 'crash',
      observation: { unobserved: [expect.stringMatching(/^changed files: .*no longer exists/)] },
    });
    expect(ended).not.toHaveProperty('observation.files');
    expect(events.filter(({ type }) => type === 'work-committed')).toMatchObject([{ iteration: 1 }, { iteration: 3 }]);
    expect(readFileSync(scene.ledger, 'utf8')).toMatch(/Iteration 2 was interrupted before/);
    expect(scene.stepsOf(id)).toEqual(['step 1', 'step 2']);
  });
});
