import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { Environment } from '../process/run-tool.js';
import { localFailure, remoteFailure } from './clone-failed.js';
import { AS_IT_IS, type GitAnswer, type GitPlace, runGit } from './git.js';
import { credentialScrubber, withoutCredentials } from './repository-name.js';

const LOCAL_TIMEOUT_MS = 10 * 60_000;
/** For a whole clone; a connection that is silent ends sooner. */
const REMOTE_TIMEOUT_MS = 30 * 60_000;
/** For the last question before a tree is removed. */
const LIST_TIMEOUT_MS = 30_000;

/** Git starts no background work, objects stay in packs, and a silent connection ends. */
const SETTINGS = {
  'fetch.unpackLimit': '1',
  'fetch.writeCommitGraph': 'false',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  'push.followTags': 'false',
  'push.gpgSign': 'false',
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '120',
};

/** No repository: git must not find one around the home. */
const OUTSIDE = '/dev/null';

export interface RemoteGitOptions {
  readonly repository: string;
  readonly environment: Environment;
  /** An existing folder. */
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
}

/** Git for one remote repository: it never asks a person. */
export class RemoteGit {
  /** Without credentials. */
  readonly shown: string;
  readonly scrub: (text: string) => string;
  readonly #options: RemoteGitOptions;
  #ssh: Promise<Environment> | undefined;

  constructor(options: RemoteGitOptions) {
    this.shown = withoutCredentials(options.repository);
    this.scrub = credentialScrubber(options.repository);
    this.#options = options;
  }

  /** Does something on this disk. Throws CloneFailed. */
  async local(gitDir: string, ...args: readonly string[]): Promise<string> {
    const result = await this.#run(gitDir, args);
    if (result.exitCode === 0) return result.output.trimEnd();
    const what = args.find((arg) => !arg.startsWith('-'));
    throw localFailure(`git ${what ?? ''}`, result, this.scrub);
  }

  /** Asks git for a yes or a no that needs no repository. Throws CloneFailed. */
  async agrees(...args: readonly string[]): Promise<boolean> {
    const result = await this.#run(OUTSIDE, args);
    if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
    throw localFailure(`git ${args[0]}`, result, this.scrub);
  }

  /** Whether a commit is part of the history of a tip; one that the repository does not have is not. Throws CloneFailed. */
  async holds(gitDir: string, tip: string, commit: string, signal = this.#options.signal): Promise<boolean> {
    const result = await this.#run(gitDir, ['merge-base', '--is-ancestor', commit, tip], { signal });
    if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
    if (result.stderr.includes(`Not a valid commit name ${commit}`)) return false;
    throw localFailure('git merge-base', result, this.scrub);
  }

  /** Lists commits of a repository that an agent has worked in. Throws CloneFailed. */
  async listCommits(gitDir: string, words: readonly string[], input: string): Promise<string> {
    const how = { variables: AS_IT_IS, timeoutMs: LIST_TIMEOUT_MS, signal: undefined, input };
    const result = await this.#run(gitDir, ['rev-list', ...words], how);
    if (result.exitCode === 0) return result.output;
    throw localFailure('git rev-list', result, this.scrub);
  }

  /** What the remote has of these names. Throws CloneFailed. */
  async listRemote(...names: readonly string[]): Promise<string> {
    const result = await this.tryRemote(OUTSIDE, ['ls-remote', '--quiet'], names);
    if (result.exitCode === 0) return result.output.trimEnd();
    throw remoteFailure(this.shown, result, this.scrub);
  }

  /** Contacts the remote: `what` and its options, then the refs it is about. Never rejects. */
  async tryRemote(
    gitDir: string,
    what: readonly string[],
    asked: readonly string[],
    signal = this.#options.signal,
  ): Promise<GitAnswer> {
    this.#ssh ??= this.#sshVariables();
    // The URL is in the environment, because it may contain credentials. No repository can have settings for the name.
    const remote = `pawl-${randomBytes(8).toString('hex')}`;
    const variables = { ...(await this.#ssh), PAWL_REMOTE_URL: this.#options.repository };
    const args = [`--config-env=remote.${remote}.url=PAWL_REMOTE_URL`, ...what, remote, ...asked];
    return this.#run(gitDir, args, { isRemote: true, variables, timeoutMs: REMOTE_TIMEOUT_MS, signal });
  }

  /** Keeps ssh from asking, unless the user has chosen a command for it: that one may not be OpenSSH. */
  async #sshVariables(): Promise<Environment> {
    const { environment, repository } = this.#options;
    const isOther = isAbsolute(repository) || /^(?!(?:git\+)?ssh)[a-z0-9+.-]+:\/\//i.test(repository);
    if (isOther || environment['GIT_SSH_COMMAND'] !== undefined || environment['GIT_SSH'] !== undefined) return {};
    const chosen = await this.#run(OUTSIDE, ['config', '--get', 'core.sshCommand']);
    return chosen.exitCode === 0 ? {} : { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30' };
  }

  #run(gitDir: string, args: readonly string[], { input, ...more }: GitCall = {}): Promise<GitAnswer> {
    const { environment, home: folder, signal } = this.#options;
    const usual = { folder, environment, gitDir, settings: SETTINGS, timeoutMs: LOCAL_TIMEOUT_MS, signal };
    return runGit({ ...usual, ...more }, args, input);
  }
}

interface GitCall extends Pick<GitPlace, 'isRemote' | 'variables' | 'timeoutMs' | 'signal'> {
  readonly input?: string | undefined;
}
