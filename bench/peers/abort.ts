import { constants } from 'node:os';

type CleanUp = () => Promise<void> | void;

const cleanUps = new Set<CleanUp>();
let isAborting = false;

/** Is done when the bench is told to end; the function that is returned takes it back. */
export function onAbort(cleanUp: CleanUp): () => void {
  cleanUps.add(cleanUp);
  return () => cleanUps.delete(cleanUp);
}

/** Nothing new is started while the bench cleans up; the process ends before this goes on. */
export async function unlessAborting(): Promise<void> {
  if (isAborting) await new Promise(() => {});
}

/** At Ctrl-C, SIGTERM or the end of the terminal, ends what the bench started and removes its folders. */
export function cleanUpWhenTold(lastWords: () => string): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void abort(name, lastWords));
  // Who started this one in a namespace of its own can be killed without a chance to pass that on.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) void abort('SIGTERM', lastWords);
  }, 500);
  watch.unref();
}

async function abort(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP', lastWords: () => string): Promise<void> {
  if (isAborting) return;
  isAborting = true;
  // The newest first: what works in a folder ends before the folder goes.
  for (const cleanUp of [...cleanUps].reverse())
    await Promise.resolve()
      .then(cleanUp)
      .catch(() => undefined);
  process.stderr.write(`${lastWords()}\n`);
  process.exit(128 + constants.signals[name]);
}
