import { setTimeout as pause } from 'node:timers/promises';
import type { Deed } from './fake-agent.js';
import { Launched } from './launched.js';
import { type Cannot, isCannot, type Runner, type RunRequest } from './runner.js';
import { Scratch } from './scratch.js';

export interface ScratchRun {
  readonly scratch: Scratch;
  readonly launched: Launched;
}

export interface ScratchOptions {
  /** A project that outlives the run, instead of a new one. */
  readonly project?: string | undefined;
  readonly output?: 'log' | 'none';
}

/** Starts a runner in a scratch folder, hands it to `use`, and leaves nothing of it behind. */
export async function withRun<T>(
  runner: Runner,
  request: RunRequest,
  deed: Deed,
  use: (run: ScratchRun) => Promise<T>,
  { project, output = 'log' }: ScratchOptions = {},
): Promise<T | Cannot> {
  const scratch = new Scratch(deed, { project });
  try {
    runner.prepare(scratch.project, request);
    const command = runner.command(scratch.project, request);
    if (isCannot(command)) return command;
    return await use({ scratch, launched: new Launched(scratch, command, { output }) });
  } finally {
    await scratch.remove();
  }
}

/** The request with no pause where the runner allows that, otherwise with its own. */
export function quickest(runner: Runner, iterations: number): RunRequest {
  const request = { iterations, delay: 'none' } as const;
  return isCannot(runner.command('.', request)) ? { iterations, delay: 'default' } : request;
}

/** Waits until something is so; false when it is not so in time. */
export async function until(isSo: () => boolean, limitMs: number, everyMs = 20): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (Date.now() < end) {
    if (isSo()) return true;
    await pause(everyMs);
  }
  return isSo();
}

/** Why a run did not do what it was started for. */
export function whyNot({ scratch, launched }: ScratchRun): Cannot {
  const { exitCode } = launched;
  const how = exitCode === undefined ? 'still runs' : `exits with ${exitCode}`;
  return { cannot: `${scratch.starts().length} agents started, ${how}, "${scratch.lastLine()}"` };
}
