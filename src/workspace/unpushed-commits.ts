import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { headOf } from '../model/figures.js';
import { messageOf } from '../model/errors.js';
import type { RemoteGit } from './remote-git.js';

const MOST_NAMED = 3;
const MOST_COUNTED = 100;
const NAME_CHARACTERS = 60;
/** A larger reflog is not read. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface UnpushedRequest {
  readonly git: RemoteGit;
  /** Of the agent, in its working tree. */
  readonly gitDir: string;
  /** What the remote has. */
  readonly pushed: readonly string[];
}

/**
 * Names commits that would be lost with a working tree: on other branches, in the stash, in other working trees of the
 * repository, or left behind by HEAD, except for those that came from the remote or were amended. Undefined when there are
 * none; when git cannot list them, the result says so. Never rejects.
 */
export async function unpushedCommits({ git, gitDir, pushed }: UnpushedRequest): Promise<string | undefined> {
  try {
    const amended = await amendedCommits(gitDir);
    const without = amended.map((commit) => `^${commit}\n`).join('');
    return described(await git.listCommits(gitDir, [...LIST, ...pushed], without));
  } catch (error) {
    return `what else is in its repository is unknown (${messageOf(error)})`;
  }
}

/** All that a ref, a stash, a HEAD or what they were before leads to, except for what the remote has. */
const LIST = [
  `--max-count=${MOST_COUNTED}`,
  '--format=%h %s',
  '--ignore-missing',
  '--topo-order',
  '--all',
  '--reflog',
  '--stdin',
  '--not',
  '--remotes',
];

function described(listed: string): string | undefined {
  const commits = listed.split('\n').filter((line) => line !== '' && !line.startsWith('commit '));
  if (commits.length === 0) return undefined;
  const names = commits.slice(0, MOST_NAMED).map((line) => headOf(line.replaceAll(/\p{C}/gu, ' '), NAME_CHARACTERS));
  const more = commits.length > MOST_NAMED ? ', …' : '';
  const count = commits.length === MOST_COUNTED ? `${MOST_COUNTED} or more` : String(commits.length);
  const what = commits.length === 1 ? '1 commit that is' : `${count} commits that are`;
  return `the agent has left ${what} not on its branch (${names.join(', ')}${more})`;
}

/** What `git commit --amend` has replaced: anyone who did that has no use for it. */
async function amendedCommits(gitDir: string): Promise<readonly string[]> {
  const path = join(gitDir, 'logs', 'HEAD');
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > LOG_LIMIT_BYTES) return [];
  const entries = (await readFile(path, 'latin1')).matchAll(/^([0-9a-f]{40,64}) [^\t\n]*\tcommit \(amend\)/gm);
  return Array.from(entries, ([, replaced = '']) => replaced);
}
