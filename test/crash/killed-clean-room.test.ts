import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesOfRun } from '../../src/process/process-table.js';
import { FULL } from '../support/full-form.js';
import { mountedAnywhere, ROOM_RUN, ROOM_USERS, RoomProgram, RoomScene } from '../support/room-task.js';

const MOMENTS = FULL ? 400 : 8;

let program: RoomProgram;
beforeAll(async () => {
  program = await RoomProgram.build();
});
afterAll(() => program.remove());

const TASK = {
  putBack: [{ path: 'test/a.js', content: 'as it was' }, { path: 'test/b.js' }],
  // The one in the background has neither the cookie nor the group nor a parent that is known.
  command: '(setsid env -i sleep 1000 &); echo x > test/a.js; echo begun; sleep 1000',
};

/** A process that is about to make its room: what Node does before is not what is tested. */
async function startTask(scene: RoomScene): Promise<ChildProcess & { readonly stdout: Readable }> {
  const child = scene.start(TASK);
  const { stdout } = child;
  if (stdout === null) throw new Error('nothing can be read of it');
  await once(stdout, 'data');
  return Object.assign(child, { stdout });
}

/** How long it takes until the command runs. */
async function timeToBegin(scene: RoomScene): Promise<number> {
  const child = await startTask(scene);
  const startedAt = performance.now();
  await once(child.stdout, 'data');
  const takesMs = performance.now() - startedAt;
  child.kill('SIGKILL');
  await once(child, 'close');
  return takesMs;
}

async function expectNothingRuns(scene: RoomScene): Promise<void> {
  const endsAt = performance.now() + 20_000;
  const left = () => [...mountedAnywhere(scene.folder), ...processesOfRun(ROOM_RUN).map(({ pid }) => String(pid))];
  while (left().length > 0 && performance.now() < endsAt) await pause(20);
  expect(left()).toEqual([]);
}

describe.each(ROOM_USERS)('kill -9 of the process that uses a clean room, as %s', (user) => {
  it(`leaves nothing mounted or running at ${MOMENTS} moments, and the next room removes its files`, async () => {
    const scene = new RoomScene(program, user);
    try {
      scene.write('test/a.js', 'weakened');
      scene.write('test/b.js', 'added');
      const isMounted = (await scene.run({})).as !== undefined;
      const takesMs = await timeToBegin(scene);
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const child = await startTask(scene);
        await pause((takesMs * 1.3 * (moment + 0.5)) / MOMENTS);
        child.kill('SIGKILL');
        await once(child, 'close');
        if (isMounted) await expectNothingRuns(scene);
        expect(scene.read('test/a.js')).toBe('weakened');
      }
      expect(await scene.run({ command: 'cat test/a.js', putBack: TASK.putBack })).toMatchObject({
        output: 'as it was',
      });
      expect(scene.left()).toEqual([]);
    } finally {
      scene.remove();
    }
  }, 600_000);
});
