import { existsSync, lstatSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../model/errors.js';
import { type GitAnswer, type GitPlace, ownTree, runGit as git, runGit } from './git.js';
import { checkedOut } from './read-repository.js';
import { type StagedWork, stageWithNested, stageWork } from './stage-work.js';

interface CommitRequest extends GitPlace {
  readonly message: string;
  /** The commit that the run's own tree began with: repositories that were added since are committed with their files. */
  readonly since?: string | undefined;
  /** What was checked out when the agent began; without it, it may have committed by itself. */
  readonly headBefore?: string | undefined;
  /** Receives what is not in the commit, and why. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** What came of it: a commit, nothing that could be committed, or why it failed. */
type Committed = { readonly commit: string } | { readonly nothing: true } | { readonly error: string };

/**
 * Commits what is in a folder to the branch that is checked out, as Pawl. What the user has staged elsewhere stays
 * staged. Hooks and signatures are the user's: an unattended commit has neither. Never rejects.
 */
export async function commitWork(asked: CommitRequest): Promise<Committed> {
  const request = asked.since === undefined ? asked : { ...asked, ...ownTree(asked.folder) };
  // In a tree that is the run's own, its agent has hidden whatever is hidden from git.
  const findConflicts = asked.since === undefined ? findUnmerged : unhideFiles;
  const problem = (await unfinishedWork(request)) ?? (await findConflicts(request));
  if (problem !== undefined) return { error: problem };
  const staged =
    request.since === undefined
      ? await stageWork(request)
      : await stageWithNested(request, request.since, await mayHoldLinks(request));
  if ('error' in staged) return staged;
  tellOf(staged, request);
  const inside = await isStaged(request, ['.']);
  if (inside.error !== undefined) return { error: inside.error };
  if (!inside.isStaged) return { nothing: true };
  const outside = request.since === undefined ? await isStaged(request, OUTSIDE) : { isStaged: false };
  if (outside.error !== undefined) return { error: outside.error };
  const made = outside.isStaged ? await commitInside(request) : await commitStaged(request);
  if (made.error !== undefined) return { error: made.error };
  return checkedOut(request).then(
    (commit) => ({ commit }),
    (error: unknown) => ({ error: messageOf(error) }),
  );
}

/** In commits of the agent's own, and where submodules are: git reports only those links that it adds itself. */
async function mayHoldLinks(request: CommitRequest): Promise<boolean> {
  if (existsSync(join(request.folder, '.gitmodules'))) return true;
  return (await checkedOut(request).catch(() => undefined)) !== request.headBefore;
}

function tellOf({ links, taken, leftOut }: StagedWork, { warn }: CommitRequest): void {
  for (const path of links) {
    warn?.(`${path} is a separate repository: a link to its commit is committed, and none of its files`);
  }
  for (const path of taken) {
    warn?.(`${path} is a separate repository: its files are committed, and its history is not`);
  }
  for (const path of leftOut) {
    warn?.(`${path} is another working tree of the same repository: nothing of it is committed`);
  }
}

/** All of the repository that is not in the working directory. */
const OUTSIDE = [':(top)', ':(exclude).'];

async function isStaged(
  request: CommitRequest,
  where: readonly string[],
): Promise<{ readonly isStaged: boolean; readonly error?: string | undefined }> {
  const { exitCode, error } = await git(request, ['diff', '--cached', '--quiet', '--no-ext-diff', '--', ...where]);
  return exitCode === 0 || exitCode === 1 ? { isStaged: exitCode === 1 } : { isStaged: false, error };
}

/** Not with `--only`, which fails at a submodule that is not checked out. */
function commitStaged(request: CommitRequest): Promise<GitAnswer> {
  return git(request, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--file=-'], request.message);
}

/** What is staged outside the working directory is the user's: it is left out of an index that is made for this commit. */
async function commitInside(request: CommitRequest): Promise<Pick<GitAnswer, 'error'>> {
  const found = await git(request, ['rev-parse', '--git-path', 'index']);
  if (found.error !== undefined) return found;
  const index = resolve(request.folder, found.output);
  const own = `${index}.pawl-${process.pid}`;
  const withOwn = { ...request, environment: { ...request.environment, GIT_INDEX_FILE: own } };
  try {
    await copyFile(index, own);
    const left = await git(withOwn, ['reset', '--quiet', '--', ...OUTSIDE]);
    return left.error === undefined ? await commitStaged(withOwn) : left;
  } catch (error) {
    return { error: `git commit: ${messageOf(error)}` };
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
}

/** What the user, or the agent, is in the middle of: adding files would call its conflicts resolved. */
async function unfinishedWork(request: CommitRequest): Promise<string | undefined> {
  const found = await git(request, ['rev-parse', '--absolute-git-dir']);
  if (found.error !== undefined) return found.error;
  const begun = Object.entries(UNFINISHED).find(([name]) => existsSync(join(found.output, name)));
  return begun && `${begun[1]} is not finished: nothing was added`;
}

async function findUnmerged(request: CommitRequest): Promise<string | undefined> {
  const unmerged = await git(request, ['ls-files', '--unmerged']);
  if (unmerged.error !== undefined) return unmerged.error;
  return unmerged.output === '' ? undefined : CONFLICTS;
}

const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
};

/** A run in the background has a log before its folder is ignored. */
const OUR_OWN = ':(exclude,glob).ralph/**';

/** Names of the files that are changed or new, as git shows them. */
export async function uncommittedFiles(
  request: GitPlace,
): Promise<{ readonly files: readonly string[] } | { readonly error: string }> {
  const what = ['status', '--porcelain', '--untracked-files=all', '--', '.', OUR_OWN];
  const status = await git(request, what);
  if (status.error !== undefined) return { error: status.error };
  const lines = status.output.split('\n');
  // Each begins with two letters and a blank.
  return { files: lines.filter((line) => line !== '').map((line) => line.slice(3)) };
}

/** The message of a commit: what was done, and by which run. */
export function commitMessage(
  subject: string,
  summary: string | undefined,
  trailers: Readonly<Record<string, string>>,
): string {
  const body =
    summary === undefined
      ? []
      : [
          summary
            .slice(0, 1000)
            .replace(/^(?=[\w-]+: )/gm, ' ')
            .trimEnd(),
        ];
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
  return [subject, ...body, lines.join('\n')].join('\n\n');
}

const CONFLICTS = 'there are conflicts that are not resolved: nothing was added';

/**
 * Takes the marks off that keep git from seeing changes (`assume-unchanged`, `skip-worktree`), but for files that a sparse
 * checkout leaves out. Resolves with why it cannot, or why nothing is to be added: there are conflicts.
 */
async function unhideFiles(place: GitPlace): Promise<string | undefined> {
  const { stdout, error } = await runGit(place, ['ls-files', '-v', '-z']);
  if (error !== undefined) return error;
  const entries = stdout.toString('latin1').split('\0');
  if (entries.some((entry) => entry.startsWith('M '))) return CONFLICTS;
  const assumed = entries.filter((entry) => /^[a-z] /.test(entry)).map(pathOf);
  const skipped = entries.filter((entry) => /^[Ss] /.test(entry)).map(pathOf);
  return (
    (await mark(place, '--no-assume-unchanged', assumed)) ??
    (await mark(place, '--no-skip-worktree', await withoutSparse(place, skipped)))
  );
}

function pathOf(entry: string): string {
  return entry.slice(2);
}

async function mark(place: GitPlace, how: string, paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  return (await runGit(place, ['update-index', how, '-z', '--stdin'], input)).error;
}

/** In a sparse checkout a file that is not there was not deleted. */
async function withoutSparse(place: GitPlace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const { output } = await runGit(place, ['config', '--type=bool', '--get', 'core.sparseCheckout']);
  return output === 'true' ? paths.filter((path) => isThere(place.folder, path)) : paths;
}

function isThere(top: string, path: string): boolean {
  const file = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder of its path is a file now.
    return false;
  }
}
