/**
 * The only place that runs git. A repository may come from anybody, and an agent may have changed its settings: git starts
 * no program that the repository names (a hook, filter, monitor, signer, helper, editor or transport). The user's own
 * configuration is trusted.
 */
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { headOf } from '../model/figures.js';
import { formatDuration } from '../model/duration.js';
import { findProgram, type Environment, runTool, type ToolResult } from '../process/run-tool.js';
import {
  EXECUTES_NOTHING,
  filterProblem,
  settingVariables,
  SUBMODULE_PATHS,
  type Untrusted,
  untrustedIn,
  WITH_PROGRAMS,
  withoutInspection,
} from './untrusted-settings.js';

const TIMEOUT_MS = 2 * 60_000;
const CONFIG_TIMEOUT_MS = 10_000;
const GRACE_MS = 500;
const OUTPUT_LIMIT_BYTES = 256 * 1024 * 1024;

/** Where git runs, and with what. */
export interface GitPlace {
  /** Git is started here. */
  readonly folder: string;
  readonly environment: Environment;
  /** The repository. Without it, git finds one from the folder, or from variables of the environment. */
  readonly gitDir?: string | undefined;
  readonly workTree?: string | undefined;
  /** Git ignores the configuration of the user and of the system, and downloads nothing. */
  readonly isIsolated?: boolean | undefined;
  /** Git is to reach a remote; otherwise it does so only to get objects that a partial clone is missing. */
  readonly isRemote?: boolean | undefined;
  /** Stronger than any configuration. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Stronger than the environment. */
  readonly variables?: Environment | undefined;
  /** A reason that is a string completes the sentence "git add ...". */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** The time for git to remove its locks before it is killed. */
  readonly graceMs?: number | undefined;
}

export interface GitAnswer extends ToolResult {
  /** What it printed, as text without the last newline. */
  readonly output: string;
  /** Why it failed, in a line that names the subcommand. */
  readonly error?: string | undefined;
}

/** The top of a working tree whose repository is in its `.git`, whatever is configured there. */
export function ownTree(folder: string): Pick<GitPlace, 'folder' | 'gitDir' | 'workTree'> {
  return { folder, gitDir: join(folder, '.git'), workTree: folder };
}

/** In whose name Pawl commits. */
export const IDENTITY = { name: 'Pawl', email: 'pawl@localhost' } as const;

export function isGitInstalled(environment: Environment): boolean {
  return findProgram('git', '/', environment['PATH']) !== undefined;
}

/** Runs git. Never rejects. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  input?: Uint8Array | string,
): Promise<GitAnswer> {
  const env = environmentOf(place);
  // Reading a configuration starts no program, and what is isolated reaches no remote.
  const isHarmless = place.isIsolated === true || args[0] === 'config';
  const { settings, connects } = isHarmless ? { settings: [], connects: false } : await findUntrusted(place, env);
  const all = [...Object.entries({ ...EXECUTES_NOTHING, ...place.settings }), ...settings];
  const result = await runTool({
    command: 'git',
    args,
    cwd: place.folder,
    env: { ...env, ...settingVariables(env, all), ...(connects ? withoutProxy(place) : {}) },
    input,
    timeoutMs: place.timeoutMs ?? TIMEOUT_MS,
    signal: place.signal,
    graceMs: place.graceMs ?? GRACE_MS,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
  return {
    ...result,
    get output() {
      return result.stdout.toString('utf8').replace(/\n$/, '');
    },
    error: result.exitCode === 0 ? undefined : whyFailed(place, args, result),
  };
}

/** Variables that lead git to another repository. Those that let it in (ssh, proxies, the user's settings) are not. */
const STEERING: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_TEMPLATE_DIR',
  'GIT_WORK_TREE',
]);

/** An environment in which git finds its repository from the folder alone. */
export function withoutSteering(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !STEERING.has(name)));
}

const ALWAYS = {
  GIT_AUTHOR_NAME: IDENTITY.name,
  GIT_AUTHOR_EMAIL: IDENTITY.email,
  GIT_COMMITTER_NAME: IDENTITY.name,
  GIT_COMMITTER_EMAIL: IDENTITY.email,
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  // Pawl reads the messages of git. Programs that git starts, such as the user's filters, keep the user's locale.
  LANGUAGE: 'en',
};

/** Git reaches no remote, not even for missing objects. */
const OFFLINE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

/** Git sees the objects that are there: it replaces none and downloads none. */
export const AS_IT_IS: Environment = { ...OFFLINE, GIT_NO_REPLACE_OBJECTS: '1' };

const ISOLATED = {
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  ...AS_IT_IS,
};

function environmentOf({ environment, gitDir, workTree, isIsolated = false, variables }: GitPlace): Environment {
  const own = { ...ALWAYS, PATH: absolutePath(environment) };
  const place = gitDir === undefined ? {} : { GIT_DIR: gitDir, GIT_WORK_TREE: workTree };
  if (isIsolated) {
    const others = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_'));
    return { ...Object.fromEntries(others), ...own, ...ISOLATED, ...place, ...variables };
  }
  const others = gitDir === undefined ? environment : withoutSteering(environment);
  // A question must not write to the user's index.
  return { ...others, ...own, GIT_OPTIONAL_LOCKS: '0', ...place, ...variables };
}

/** The folders of PATH that do not depend on where git is started. */
function absolutePath(environment: Environment): string {
  return (environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

/** For a repository that names a program to reach remotes. The remote of a call has a name that no repository knows. */
function withoutProxy({ isRemote = false }: GitPlace): Environment {
  return isRemote ? { GIT_PROXY_COMMAND: '' } : OFFLINE;
}

async function findUntrusted({ folder, gitDir, workTree, signal }: GitPlace, env: Environment): Promise<Untrusted> {
  const read = async (args: readonly string[]): Promise<readonly string[]> => {
    const limits = { timeoutMs: CONFIG_TIMEOUT_MS, outputLimitBytes: OUTPUT_LIMIT_BYTES };
    const result = await runTool({
      command: 'git',
      args: ['config', '-z', ...args],
      cwd: folder,
      env,
      signal,
      ...limits,
    });
    return result.exitCode === 0 ? result.stdout.toString('utf8').split('\0').slice(0, -1) : [];
  };
  const modules = gitDir === undefined ? findModules(folder) : join(workTree ?? gitDir, '.gitmodules');
  const [configured, submodules] = await Promise.all([
    read(['--show-scope', '--includes', '--get-regexp', WITH_PROGRAMS]),
    // Git inspects a changed submodule with a process of its own, which reads the settings of the submodule.
    existsSync(modules) ? read(['--file', modules, '--get-regexp', SUBMODULE_PATHS]) : [],
  ]);
  const { settings, connects } = untrustedIn(configured);
  return { settings: [...withoutInspection(submodules), ...settings], connects };
}

/** `.gitmodules` at the top of the tree that a folder is in, whether or not it is there. */
function findModules(folder: string): string {
  const isTop = existsSync(join(folder, '.git')) || join(folder, '..') === folder;
  return isTop ? join(folder, '.gitmodules') : findModules(join(folder, '..'));
}

function whyFailed({ folder, signal, timeoutMs }: GitPlace, args: readonly string[], result: ToolResult): string {
  const { notStarted, timedOut, aborted, overflow, stderr, stdout } = result;
  if (notStarted !== undefined && !existsSync(folder)) return `the folder ${folder} is gone`;
  if (notStarted !== undefined) return `git cannot be started: ${notStarted}`;
  const what = `git ${args.find((arg, at) => /^[a-z]/.test(arg) && args[at - 1] !== '-c') ?? ''}`;
  if (timedOut) return `${what} did not end within ${formatDuration(timeoutMs ?? TIMEOUT_MS)}`;
  if (overflow) return `${what} printed more than ${OUTPUT_LIMIT_BYTES / 1024 / 1024} MB`;
  if (aborted) return `${what} ${typeof signal?.reason === 'string' ? signal.reason : 'was stopped'}`;
  const said = stderr.trim() === '' ? stdout.subarray(0, 2000).toString('utf8') : stderr;
  return `${what}: ${filterProblem(stderr) ?? decisiveLine(said)}`;
}

/** The line of git's messages that says what went wrong: warnings come before it, advice after it. */
export function decisiveLine(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !SAYS_NOTHING.test(line));
  const line = lines.find((one) => /^(?:fatal|error): /i.test(one)) ?? lines.join(' ');
  return headOf(line.replace(/^(?:fatal|error): /i, ''), 500) || 'git does not say why';
}

const SAYS_NOTHING =
  /^(?:warning|hint): |could not read from remote repository|make sure you have the correct access|^and the repository exists/i;
