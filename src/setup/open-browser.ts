import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../process/run-tool.js';
import { startDetached } from '../process/start-detached.js';

/** A program that opens something ends soon, or becomes the browser itself. */
const PATIENCE_MS = 3000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a file in the user's browser. Gives why it could not be done, if so; rejects when nothing can be started. */
export async function openInBrowser(file: string, environment: Environment): Promise<string | undefined> {
  const name = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const program = findProgram(name, '/', environment['PATH']);
  if (program === undefined) return `there is no ${name}`;
  const output = openSync('/dev/null', 'r+');
  try {
    const { exited, release } = await startDetached({
      file: program,
      args: [file],
      cwd: '/',
      env: environment,
      output,
    });
    release();
    const code = await Promise.race([exited, pause(PATIENCE_MS, 0, { ref: false })]);
    return code === 0 ? undefined : `${name} failed`;
  } finally {
    closeSync(output);
  }
}

/** Whether there is a screen for a browser to appear on. */
export function hasScreen({ DISPLAY, WAYLAND_DISPLAY }: Environment): boolean {
  return process.platform === 'darwin' || (DISPLAY ?? '') !== '' || (WAYLAND_DISPLAY ?? '') !== '';
}
