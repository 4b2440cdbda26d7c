import { runTool } from '../process/run-tool.js';

const TIMEOUT_MS = 120_000;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Where git works for a run, in the agent's own repository. */
export interface WorkPlace {
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
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

/** Runs git as Pawl, without hooks. Never rejects. */
export async function workGit(
  { workingDir, environment, signal }: WorkPlace,
  args: readonly string[],
  input?: string | Uint8Array,
): Promise<Answer> {
  const result = await runTool({
    command: 'git',
    args: ['-c', 'core.hooksPath=/dev/null', ...args],
    cwd: workingDir,
    env: { ...environment, ...IDENTITY },
    input,
    timeoutMs: TIMEOUT_MS,
    signal,
    outputLimitBytes: OUTPUT_BYTES,
  });
  const { exitCode, stdout: raw, stderr: complaints } = result;
  const output = raw.toString('utf8').trim();
  const answer = { output, raw, complaints, exitCode };
  if (exitCode === 0) return answer;
  if (result.notStarted !== undefined) return { ...answer, error: `git cannot be started: ${result.notStarted}` };
  const why = result.timedOut ? 'it took too long' : decisive(complaints.trim() || output);
  return { ...answer, error: `git ${args[0]}: ${why.slice(0, 500) || 'it failed'}` };
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
