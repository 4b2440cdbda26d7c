import { absolutePath, filterProblem, untrustedRepository } from '../process/repository-settings.js';
import { runTool } from '../process/run-tool.js';

const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Who asks: from which folder, with which environment. */
export interface GitAsker {
  readonly folder: string;
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
}

export interface GitAnswer {
  /** What it printed, without the newline at the end. */
  readonly output: string;
  /** Why it failed, in git's own words. */
  readonly error?: string | undefined;
}

/** Asks the user's git about the repository of a folder, or has it do something there. Never rejects. */
export async function askGit({ folder, environment, signal }: GitAsker, ...args: string[]): Promise<GitAnswer> {
  const env = withoutRepository(environment);
  const result = await runTool({
    command: 'git',
    args,
    cwd: folder,
    env: { ...env, ...(await untrustedRepository({ cwd: folder, env, signal })) },
    timeoutMs: TIMEOUT_MS,
    signal,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
  const output = result.stdout.toString('utf8').replace(/\n$/, '');
  if (result.exitCode === 0) return { output };
  const last = result.stderr.trim().split('\n').at(-1);
  const said = filterProblem(result.stderr) ?? last?.replace(/^(fatal|error): /, '');
  const why = result.notStarted ?? (result.aborted ? 'it was stopped' : result.timedOut ? 'it took too long' : said);
  return { output, error: why === undefined || why === '' ? `git ${args[0]} failed` : why };
}

/** The folder alone says which repository is meant. */
function withoutRepository(environment: Environment): Environment {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    PATH: absolutePath(environment),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}
