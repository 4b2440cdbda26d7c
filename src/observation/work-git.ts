import { headOf } from '../model/cut-text.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatDuration } from '../model/duration.js';
import { absolutePath, filterProblem, untrustedRepository } from '../process/repository-settings.js';
import { runTool, type ToolResult } from '../process/run-tool.js';

const TIMEOUT_MS = 120_000;
/** For the locks that it holds. */
const GRACE_MS = 500;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Where git works for a run, in the agent's own repository. */
export interface WorkPlace {
  readonly workingDir: string;
  /** It is the top of a tree that has its repository in `.git`, whatever an agent has configured there. */
  readonly isWhole?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A reason that is a text tells why, after the name of what it ended. */
  readonly signal?: AbortSignal | undefined;
  /** For each call. */
  readonly timeoutMs?: number | undefined;
}

export interface Answer {
  /** Without the blanks around it. */
  readonly output: string;
  /** As it was printed: names of files may be anything. */
  readonly raw: Buffer;
  /** What it complained about, even if all went well. */
  readonly complaints: string;
  readonly exitCode?: number | undefined;
  readonly error?: string | undefined;
}

/** Runs git as Pawl. Nothing that the repository's own config names is executed. Never rejects. */
export async function workGit(
  { workingDir, isWhole = false, environment, signal, timeoutMs = TIMEOUT_MS }: WorkPlace,
  args: readonly string[],
  input?: string | Uint8Array,
): Promise<Answer> {
  const env = { ...environment, PATH: absolutePath(environment), ...IDENTITY, ...(isWhole ? placeOf(workingDir) : {}) };
  const result = await runTool({
    command: 'git',
    args,
    cwd: workingDir,
    env: { ...env, ...(await untrustedRepository({ cwd: workingDir, env, signal })) },
    input,
    timeoutMs,
    signal,
    graceMs: GRACE_MS,
    outputLimitBytes: OUTPUT_BYTES,
  });
  const { exitCode, stdout: raw, stderr: complaints } = result;
  const output = raw.toString('utf8').trim();
  const answer = { output, raw, complaints, exitCode };
  if (exitCode === 0) return answer;
  if (result.notStarted !== undefined && !existsSync(workingDir)) {
    return { ...answer, error: `the working tree ${workingDir} is gone` };
  }
  if (result.notStarted !== undefined) return { ...answer, error: `git cannot be started: ${result.notStarted}` };
  const unfinished = whyUnfinished(result, signal, timeoutMs);
  if (unfinished !== undefined) return { ...answer, error: `git ${args[0]} ${unfinished}` };
  const why = filterProblem(complaints) ?? decisive(complaints.trim() || output);
  return { ...answer, error: `git ${args[0]}: ${headOf(why, 500) || 'it failed'}` };
}

/** Stronger than `core.worktree` and `core.bare`; nor is another repository found above it when its own is gone. */
function placeOf(workingDir: string): Readonly<Record<string, string>> {
  return { GIT_DIR: join(workingDir, '.git'), GIT_WORK_TREE: workingDir };
}

function whyUnfinished(result: ToolResult, signal: AbortSignal | undefined, timeoutMs: number): string | undefined {
  if (result.timedOut) return `did not end within ${formatDuration(timeoutMs)}`;
  if (!result.aborted) return undefined;
  const reason: unknown = signal?.reason;
  return typeof reason === 'string' ? reason : 'was stopped';
}

/** What git died of, in a line; warnings before it and advice after it would push it out of sight. */
function decisive(said: string): string {
  const lines = said.split('\n').filter((line) => !/^(?:warning|hint):/.test(line));
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines.join(' ');
  return line.replace(/^(?:fatal|error): /, '').trim();
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Pawl',
  GIT_AUTHOR_EMAIL: 'pawl@localhost',
  GIT_COMMITTER_NAME: 'Pawl',
  GIT_COMMITTER_EMAIL: 'pawl@localhost',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  // Its words are read; programs that it starts, such as filters, keep the locale of the user.
  LANGUAGE: 'en',
};
