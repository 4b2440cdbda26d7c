import { existsSync } from 'node:fs';
import { absolutePath, settingVariables } from '../../process/repository-settings.js';
import { runTool, type ToolResult } from '../../process/run-tool.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const OUTPUT_LIMIT_BYTES = 256 * 1024 * 1024;

export interface GitCall {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly input?: Uint8Array | string | undefined;
  readonly limits: CallLimits;
}

/** How long a whole piece of work, of several calls, may take. */
export interface CallLimits {
  /** By `performance.now()`. */
  readonly endsAtMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** git could not do it. `isDamage`: the shadow repository may be at fault, so that a fresh start may help. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly isDamage: boolean;
  readonly stderr: string;

  constructor(message: string, { isDamage = false, stderr = '' } = {}) {
    super(message);
    this.isDamage = isDamage;
    this.stderr = stderr;
  }
}

/** Runs git to a good end, or throws GitFailed. */
export async function callGit(call: GitCall): Promise<ToolResult> {
  const timeoutMs = Math.max(0, call.limits.endsAtMs - performance.now());
  const result = await runTool({
    command: 'git',
    ...call,
    timeoutMs,
    signal: call.limits.signal,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
  if (result.exitCode === 0) return result;
  throw failureOf(call, result);
}

function failureOf({ args, cwd }: GitCall, result: ToolResult): GitFailed {
  const subcommand = args.find((arg, at) => /^[a-z]/.test(arg) && args[at - 1] !== '-c');
  const what = `git ${subcommand ?? ''}`.trim();
  const { stderr } = result;
  if (result.notStarted !== undefined && !existsSync(cwd)) return new GitFailed(`the folder ${cwd} is gone`);
  if (result.notStarted !== undefined) return new GitFailed(`${result.notStarted}; ${HOW_TO_DO_WITHOUT}`);
  if (result.aborted) return new GitFailed(`${what} was aborted`);
  if (result.timedOut) return new GitFailed(`${what} took too long; ${HOW_TO_DO_WITHOUT}`);
  if (result.overflow) return new GitFailed(`${what} printed too much; ${HOW_TO_DO_WITHOUT}`);
  const why = stderr.trim().split('\n').at(-1) || `exit code ${result.exitCode ?? result.signal ?? 'unknown'}`;
  return new GitFailed(`${what}: ${why}`, { isDamage: true, stderr });
}

export const HOW_TO_DO_WITHOUT = 'track_file_changes: false turns the tracking of files off';

/** The user's environment without what steers git, and without programs of the folder that git is started in. */
export function withoutGitVariables(environment: Environment): Environment {
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')));
  return { ...kept, PATH: absolutePath(environment) };
}

/** For calls that must see no configuration but the one they are given. */
export function isolated(environment: Environment, settings: Readonly<Record<string, string>>): Environment {
  return {
    ...withoutGitVariables(environment),
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    ...settingVariables({}, Object.entries(settings)),
  };
}
