import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** How long output may still come after the process is gone: somebody else may hold the pipe for ever. */
const DRAIN_MS = 500;

/** Waits until both pipes of a dead process have told all they carried, as far as that ends, and closes them. */
export async function drainPipes({ stdout, stderr }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].filter((stream) => stream !== null && !stream.readableEnded);
  const ends = open.map((stream) => once(stream as NonNullable<typeof stream>, 'close').catch(() => undefined));
  await Promise.race([Promise.all(ends), pause(DRAIN_MS, undefined, { ref: false })]);
  stdout?.destroy();
  stderr?.destroy();
}
