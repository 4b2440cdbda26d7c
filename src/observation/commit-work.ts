import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
  const status = await git(request, ['status', '--porcelain', '--untracked-files=no', '--', '.']);
  if (status.error !== undefined) return { error: status.error };
  if (status.output === '') return { nothing: true };
  const flags = ['--only', '--quiet', '--no-verify', '--no-gpg-sign', '--file=-'];
  const made = await git(request, ['commit', ...flags, '--', '.'], request.message);
  if (made.error !== undefined) return { error: made.error };
  const head = await git(request, ['rev-parse', 'HEAD']);
  return head.error === undefined ? { commit: head.output } : { error: head.error };
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

/** Files that are changed or new before anything has run: they are the user's. */
export async function uncommittedFiles(
  request: Omit<CommitRequest, 'message'>,
): Promise<{ readonly files: number } | { readonly error: string }> {
  const status = await git({ ...request, message: '' }, ['status', '--porcelain', '--untracked-files=all', '--', '.']);
  if (status.error !== undefined) return { error: status.error };
  return { files: status.output === '' ? 0 : status.output.split('\n').length };
}

async function git(
  { workingDir, environment, signal }: CommitRequest,
  args: readonly string[],
  input?: string,
): Promise<{ readonly output: string; readonly error?: string }> {
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
  if (result.exitCode === 0) return { output };
  if (result.notStarted !== undefined) return { output, error: `git cannot be started: ${result.notStarted}` };
  const why = result.timedOut ? 'it took too long' : decisive(result.stderr.trim() || output);
  return { output, error: `git ${args[0]}: ${why.slice(0, 500) || 'it failed'}` };
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
