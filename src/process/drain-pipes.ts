import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** How long output may still come after the process is gone: somebody else may hold the pipe for ever. */
const DRAIN_MS = 500;
/** In so many steps. Between two of them Node reads what has arrived, however busy the runner was. */
const STEPS = 10;

/** Waits until both pipes of a dead process have told all they carried, as far as that ends, and closes them. */
export async function drainPipes({ stdout, stderr }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].filter((stream) => stream !== null && !stream.readableEnded);
  const ends = open.map((stream) => once(stream as NonNullable<typeof stream>, 'close').catch(() => undefined));
  const all = Promise.all(ends).then(() => true);
  for (let step = 0; step < STEPS; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    if (await Promise.race([all, pause(DRAIN_MS / STEPS, false, { ref: false })])) break;
  }
  stdout?.destroy();
  stderr?.destroy();
}
