import { isAbsolute } from 'node:path';
import { absolutePath, EXECUTES_NOTHING } from '../process/repository-settings.js';
import { runTool, type ToolResult } from '../process/run-tool.js';
import { credentialScrubber, withoutCredentials } from './repository-name.js';
import { localFailure, remoteFailure } from './workspace-failed.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const LOCAL_TIMEOUT_MS = 10 * 60_000;
/** For a whole clone; a connection that is silent ends sooner. */
const REMOTE_TIMEOUT_MS = 30 * 60_000;
/** For a last look before a tree goes. */
const LIST_TIMEOUT_MS = 30_000;
const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;
/** The name by which git knows the remote. Its URL is in the environment: no file and no command line of ours holds it. */
const REMOTE = 'pawl';
const REMOTE_URL = ['--config-env=remote.pawl.url=PAWL_REMOTE_URL'];

/** Nothing that a repository names is executed, nothing goes on in the background, and objects stay in packs. */
const SETTINGS = [
  ...Object.entries(EXECUTES_NOTHING).map(([key, value]) => `${key}=${value}`),
  'fetch.unpackLimit=1',
  'fetch.writeCommitGraph=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
  'push.gpgSign=false',
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=120',
].flatMap((setting) => ['-c', setting]);

/** What would steer git to another repository. What lets it in (ssh, askpass, proxies, the user's config) stays. */
const STEERING = new Set([
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

/** In no repository: what lies around the home has no say. */
const OUTSIDE = { GIT_DIR: '/dev/null' };

/** The commits that are there: none that an agent has put in the place of another, and none that are fetched when asked for. */
const AS_IT_IS = { GIT_NO_REPLACE_OBJECTS: '1', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

export interface RepositoryGitOptions {
  readonly repository: string;
  readonly environment: Environment;
  /** A folder that is there. */
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
}

/** git, as it works for one repository on a worker: it never asks a person. */
export class RepositoryGit {
  /** Without credentials. */
  readonly shown: string;
  readonly scrub: (text: string) => string;
  readonly #options: RepositoryGitOptions;
  #ssh: Promise<Environment> | undefined;

  constructor(options: RepositoryGitOptions) {
    this.shown = withoutCredentials(options.repository);
    this.scrub = credentialScrubber(options.repository);
    this.#options = options;
  }

  /** Does something on this disk. Throws WorkspaceFailed. */
  async local(gitDir: string, ...args: readonly string[]): Promise<string> {
    const result = await this.#run(args, { GIT_DIR: gitDir }, LOCAL_TIMEOUT_MS);
    if (result.exitCode === 0) return result.stdout.toString('utf8').trimEnd();
    const what = args.find((arg) => !arg.startsWith('-'));
    throw localFailure(`git ${what ?? ''}`, result, this.scrub);
  }

  /** Asks git for a yes or a no that needs no repository. Throws WorkspaceFailed. */
  async agrees(...args: readonly string[]): Promise<boolean> {
    const result = await this.#run(args, OUTSIDE, LOCAL_TIMEOUT_MS);
    if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
    throw localFailure(`git ${args[0]}`, result, this.scrub);
  }

  /** Whether a tip holds a commit; what the repository does not know it does not hold. Throws WorkspaceFailed. */
  async holds(gitDir: string, tip: string, commit: string, signal = this.#options.signal): Promise<boolean> {
    const asked = ['merge-base', '--is-ancestor', commit, tip];
    const result = await this.#run(asked, { GIT_DIR: gitDir }, LOCAL_TIMEOUT_MS, signal);
    if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
    if (result.stderr.includes(`Not a valid commit name ${commit}`)) return false;
    throw localFailure('git merge-base', result, this.scrub);
  }

  /** Lists commits of a repository that an agent has worked in. Throws WorkspaceFailed. */
  async listCommits(gitDir: string, words: readonly string[], input: string): Promise<string> {
    const variables = { GIT_DIR: gitDir, ...AS_IT_IS };
    const result = await this.#run(['rev-list', ...words], variables, LIST_TIMEOUT_MS, undefined, input);
    if (result.exitCode === 0) return result.stdout.toString('utf8');
    throw localFailure('git rev-list', result, this.scrub);
  }

  /** What the remote has of these names. Throws WorkspaceFailed. */
  async listRemote(...names: readonly string[]): Promise<string> {
    const result = await this.tryRemote(OUTSIDE.GIT_DIR, ['ls-remote', '--quiet'], names);
    if (result.exitCode === 0) return result.stdout.toString('utf8').trimEnd();
    throw remoteFailure(this.shown, result, this.scrub);
  }

  /** Talks to the remote: `what` and its options, then what is asked of it. Never rejects. */
  async tryRemote(
    gitDir: string,
    what: readonly string[],
    asked: readonly string[],
    signal = this.#options.signal,
  ): Promise<ToolResult> {
    this.#ssh ??= this.#sshVariables();
    const variables = { ...(await this.#ssh), GIT_DIR: gitDir, PAWL_REMOTE_URL: this.#options.repository };
    return this.#run([...REMOTE_URL, ...what, REMOTE, ...asked], variables, REMOTE_TIMEOUT_MS, signal);
  }

  /** Keeps ssh from asking, unless the user has chosen a command for it: that one may not be OpenSSH. */
  async #sshVariables(): Promise<Environment> {
    const { environment, repository } = this.#options;
    const isOther = isAbsolute(repository) || /^(?!(?:git\+)?ssh)[a-z0-9+.-]+:\/\//i.test(repository);
    if (isOther || environment['GIT_SSH_COMMAND'] !== undefined || environment['GIT_SSH'] !== undefined) return {};
    const chosen = await this.#run(['config', '--get', 'core.sshCommand'], OUTSIDE, LOCAL_TIMEOUT_MS);
    return chosen.exitCode === 0 ? {} : { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30' };
  }

  #run(
    args: readonly string[],
    variables: Environment,
    timeoutMs: number,
    signal = this.#options.signal,
    input?: string,
  ): Promise<ToolResult> {
    const { environment, home } = this.#options;
    return runTool({
      command: 'git',
      args: [...SETTINGS, ...args],
      cwd: home,
      env: { ...unsteered(environment), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...variables },
      input,
      timeoutMs,
      signal,
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
    });
  }
}

function unsteered(environment: Environment): Environment {
  const kept = Object.entries(environment).filter(([name]) => !STEERING.has(name));
  return { ...Object.fromEntries(kept), PATH: absolutePath(environment) };
}
