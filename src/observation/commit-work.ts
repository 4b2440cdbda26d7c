import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../model/errors.js';
import { runTool } from '../process/run-tool.js';

const TIMEOUT_MS = 120_000;
const OUTPUT_BYTES = 1024 * 1024;

export interface CommitRequest {
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly message: string;
  readonly signal?: AbortSignal | undefined;
}

/** What came of it: a commit, nothing that could be committed, or why it failed. */
export type Committed = { readonly commit: string } | { readonly nothing: true } | { readonly error: string };

/**
 * Commits what lies in the working directory to the user's own branch, as Pawl. What the user has staged elsewhere stays
 * staged. Hooks and signatures are the user's: an unattended commit does without. Never rejects.
 */
export async function commitWork(request: CommitRequest): Promise<Committed> {
  const problem = await unfinishedWork(request);
  if (problem !== undefined) return { error: problem };
  const added = await git(request, ['add', '--all', '--', '.']);
  if (added.error !== undefined) return { error: added.error };
  const inside = await isStaged(request, ['.']);
  if (inside.error !== undefined) return { error: inside.error };
  if (!inside.isStaged) return { nothing: true };
  const outside = await isStaged(request, OUTSIDE);
  if (outside.error !== undefined) return { error: outside.error };
  const made = outside.isStaged ? await commitInside(request) : await commitStaged(request);
  if (made.error !== undefined) return { error: made.error };
  const head = await git(request, ['rev-parse', 'HEAD']);
  return head.error === undefined ? { commit: head.output } : { error: head.error };
}

/** The commit that is checked out. Rejects when there is none. */
export async function headOf(request: Omit<CommitRequest, 'message'>): Promise<string> {
  const head = await git({ ...request, message: '' }, ['rev-parse', '--verify', 'HEAD']);
  if (head.error !== undefined) throw new Error(head.error);
  return head.output;
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
function commitStaged(request: CommitRequest): Promise<Answer> {
  return git(request, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--file=-'], request.message);
}

/** What is staged outside the working directory is the user's: it is left out of an index that is made for this commit. */
async function commitInside(request: CommitRequest): Promise<Answer> {
  const found = await git(request, ['rev-parse', '--git-path', 'index']);
  if (found.error !== undefined) return found;
  const index = resolve(request.workingDir, found.output);
  const own = `${index}.pawl-${process.pid}`;
  const withOwn = { ...request, environment: { ...request.environment, GIT_INDEX_FILE: own } };
  try {
    await copyFile(index, own);
    const left = await git(withOwn, ['reset', '--quiet', '--', ...OUTSIDE]);
    return left.error === undefined ? await commitStaged(withOwn) : left;
  } catch (error) {
    return { output: '', error: `git commit: ${messageOf(error)}` };
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
}

/** What the user, or the agent, is in the middle of: adding files would call its conflicts resolved. */
async function unfinishedWork(request: CommitRequest): Promise<string | undefined> {
  const folder = await git(request, ['rev-parse', '--absolute-git-dir']);
  if (folder.error !== undefined) return folder.error;
  const begun = Object.entries(UNFINISHED).find(([name]) => existsSync(join(folder.output, name)));
  if (begun !== undefined) return `${begun[1]} is not finished: nothing was added`;
  const unmerged = await git(request, ['ls-files', '--unmerged']);
  if (unmerged.error !== undefined) return unmerged.error;
  return unmerged.output === '' ? undefined : 'there are conflicts that are not resolved: nothing was added';
}

const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
};

/** A run in the background has a log before its folder is ignored. */
const OUR_OWN = ':(exclude,glob)**/.ralph/**';

/** Names of the files that are changed or new, as git shows them. */
export async function uncommittedFiles(
  request: Omit<CommitRequest, 'message'>,
): Promise<{ readonly files: readonly string[] } | { readonly error: string }> {
  const what = ['status', '--porcelain', '--untracked-files=all', '--', '.', OUR_OWN];
  const status = await git({ ...request, message: '' }, what);
  if (status.error !== undefined) return { error: status.error };
  // The first line has lost the blank that it may begin with.
  return {
    files: status.output === '' ? [] : status.output.split('\n').map((line) => line.replace(/^ ?\S{1,2} /, '')),
  };
}

interface Answer {
  readonly output: string;
  readonly exitCode?: number | undefined;
  readonly error?: string | undefined;
}

async function git(
  { workingDir, environment, signal }: CommitRequest,
  args: readonly string[],
  input?: string,
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
  const output = result.stdout.toString('utf8').trim();
  const { exitCode } = result;
  if (exitCode === 0) return { output, exitCode };
  if (result.notStarted !== undefined) return { output, error: `git cannot be started: ${result.notStarted}` };
  const why = result.timedOut ? 'it took too long' : decisive(result.stderr.trim() || output);
  return { output, exitCode, error: `git ${args[0]}: ${why.slice(0, 500) || 'it failed'}` };
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
};

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
