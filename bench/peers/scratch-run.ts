import { setTimeout as pause } from 'node:timers/promises';
import { unlessAborting } from './abort.js';
import type { Deed } from './fake-agent.js';
import { Launched } from './launched.js';
import { type Cannot, failed, isCannot, notWithin, type Runner, type RunRequest } from './runner.js';
import { Scratch } from './scratch.js';

export interface ScratchRun {
  readonly scratch: Scratch;
  readonly launched: Launched;
}

export interface ScratchOptions {
  /** When this is over, all that the run started is ended, and its cell says so. */
  readonly limitMs?: number | undefined;
  /** A project that outlives the run, instead of a new one. */
  readonly project?: string | undefined;
  readonly output?: 'log' | 'none';
}

const LIMIT_MS = 120_000;

/**
 * Starts a runner in a scratch folder, hands it to `use`, and leaves nothing of it behind. What goes wrong with one
 * runner is a cell of its own and never the end of the bench.
 */
export async function withRun<T>(
  runner: Runner,
  request: RunRequest,
  deed: Deed,
  use: (run: ScratchRun) => Promise<T>,
  { limitMs = LIMIT_MS, project, output = 'log' }: ScratchOptions = {},
): Promise<T | Cannot> {
  await unlessAborting();
  const scratch = new Scratch(deed, { project });
  try {
    runner.prepare(scratch.project, request);
    const command = runner.command(scratch.project, request);
    if (isCannot(command)) return command;
    const launched = new Launched(scratch, command, { output });
    return await inTime(scratch, use({ scratch, launched }), limitMs);
  } catch (error) {
    return failed(error);
  } finally {
    await scratch.remove();
  }
}

/** What is in use comes to its end by itself once its processes are gone. */
async function inTime<T>(scratch: Scratch, using: Promise<T>, limitMs: number): Promise<T | Cannot> {
  const stop = new AbortController();
  const late = pause(limitMs, 'late' as const, { signal: stop.signal }).catch(() => 'stopped' as const);
  const first = await Promise.race([using.then((value) => ({ value })), late]).finally(() => stop.abort());
  if (typeof first === 'object') return first.value;
  await scratch.endProcesses();
  await using.catch(() => undefined);
  return notWithin(limitMs);
}

/** The request with no pause where the runner allows that, otherwise with its own. */
export function quickest(runner: Runner, iterations: number): RunRequest {
  return { iterations, delay: hasFixedPause(runner) ? 'default' : 'none' };
}

/** Whether the runner pauses between iterations and no option changes that. */
export function hasFixedPause(runner: Runner): boolean {
  return isCannot(runner.command('.', { iterations: 1, delay: 'none' }));
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
