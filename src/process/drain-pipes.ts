import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** How long output may come after the process is gone: another process may hold the pipe forever. */
const DRAIN_MS = 500;
/** Between two steps Node reads what has arrived, even if Pawl was busy. */
const STEPS = 10;

/** Waits until both pipes of a dead process are read to their end, but not forever, and closes them. */
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
