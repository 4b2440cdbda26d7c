import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { FileSystemError } from '../model/errors.js';

export interface DetachedRequest {
  /** Path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An open file that takes everything it prints. */
  readonly output: number;
}

/** A process that outlives this one. */
export interface DetachedProcess {
  readonly pid: number;
  /** Its exit code when it ends; undefined when a signal ended it. */
  readonly exited: Promise<number | undefined>;
  /** Pawl no longer waits for it. */
  readonly release: () => void;
}

/** In a new session: no terminal, no input, no hang-up. Throws FileSystemError when it cannot be started. */
export async function startDetached({ file, args, cwd, env, output }: DetachedRequest): Promise<DetachedProcess> {
  const child = spawn(file, [...args], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', output, output],
  });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as unknown[];
    throw new FileSystemError('start', file, error);
  }
  const exited = new Promise<number | undefined>((resolve) => child.once('exit', (code) => resolve(code ?? undefined)));
  return { pid, exited, release: () => child.unref() };
}
