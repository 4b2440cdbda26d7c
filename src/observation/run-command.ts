import { stat } from 'node:fs/promises';
import { messageOf } from '../model/errors.js';
import { type Ending, supervise } from '../process/supervise.js';
import { BoundedOutput, LINE_BYTES } from './bounded-output.js';
import type { Harness } from './harness.js';

/** What to run: a command line for the shell, or a program with its arguments and no shell. */
export type CommandWords = { readonly shell: string } | { readonly program: string; readonly args: readonly string[] };

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly input?: string | undefined;
  /** Added to the environment of the harness. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Which lines of a long output are kept, wherever they are. */
  readonly isKept?: ((text: string) => boolean) | undefined;
  /** As many bytes of them. */
  readonly keptBytes?: number | undefined;
  /** Told every line, for whom the two streams are not the same. Must not throw. */
  readonly onLine?: ((text: string, source: 'stdout' | 'stderr') => void) | undefined;
}

export interface CommandOutcome {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Why it could not be started. */
  readonly notStarted?: string | undefined;
  /** Both streams as they arrived, line by line; of a long output the beginning and the end. */
  readonly output: string;
  readonly omittedBytes: number;
  /** Whole lines were left out of the middle. */
  readonly hasGap: boolean;
  /** Among them lines that were to be kept. */
  readonly hasLostKept: boolean;
  readonly durationMs: number;
}

const GRACE_MS = 2000;
/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs a command to its end and leaves nothing of it behind. Never rejects. */
export async function runCommand(
  words: CommandWords,
  options: CommandOptions,
  harness: Harness,
): Promise<CommandOutcome> {
  const output = new BoundedOutput(options.isKept, options.keptBytes);
  if (harness.signal?.aborted === true) return outcomeOf({ cause: 'aborted', durationMs: 0 }, output);
  const problem = await folderProblem(harness.workingDir);
  if (problem !== undefined) return outcomeOf({ cause: 'not-started', durationMs: 0, error: problem }, output);
  const direct = {
    ...argumentsOf(words),
    cwd: harness.workingDir,
    env: { ...harness.environment, ...options.env },
  };
  const ending = await supervise({
    ...(harness.room?.wrap(direct) ?? direct),
    input: options.input,
    cookie: harness.cookie,
    signals: ['SIGTERM'],
    graceMs: GRACE_MS,
    timeoutMs: Math.min(options.timeoutMs, LONGEST_TIMER_MS),
    onLine: (line, source) => {
      output.add(line);
      options.onLine?.(line.text, source);
    },
    lineLimitBytes: LINE_BYTES,
    signal: harness.signal,
  }).ended;
  const outcome = outcomeOf(ending, output);
  harness.room?.onEnded(outcome);
  return outcome;
}

function argumentsOf(words: CommandWords): { readonly command: string; readonly args: readonly string[] } {
  if ('shell' in words) return { command: '/bin/sh', args: ['-c', words.shell] };
  return { command: words.program, args: words.args };
}

/** The system would blame the program for a folder that is not there. */
async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    return (await stat(folder)).isDirectory() ? undefined : `${folder} is not a folder`;
  } catch (error) {
    return `the working directory cannot be used: ${messageOf(error)}`;
  }
}

function outcomeOf(
  {
    cause,
    exitCode,
    signal,
    durationMs,
    error,
  }: Pick<Ending, 'cause' | 'exitCode' | 'signal' | 'durationMs' | 'error'>,
  output: BoundedOutput,
): CommandOutcome {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    timedOut: cause === 'timeout',
    aborted: cause === 'aborted',
    ...(cause === 'not-started' ? { notStarted: error ?? 'it could not be started' } : {}),
    output: output.toString(),
    omittedBytes: output.omittedBytes,
    hasGap: output.hasGap,
    hasLostKept: output.hasLostKept,
    durationMs,
  };
}
