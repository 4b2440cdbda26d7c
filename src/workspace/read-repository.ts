/** Questions about a repository. None of them writes to it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitPlace, runGit } from './git.js';

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit that is checked out, read from a file where possible: git takes longer than many an agent. Rejects when there is none. */
export async function checkedOut(place: GitPlace): Promise<string> {
  const commit = await readHead(place);
  if (HASH.test(commit)) return commit;
  const { output, error } = await runGit(place, ['rev-parse', '--verify', 'HEAD']);
  if (error !== undefined) throw new Error(error);
  return output;
}

async function readHead({ folder: top, gitDir, environment }: GitPlace): Promise<string> {
  // With this variable the user means another repository.
  if (gitDir === undefined && environment['GIT_DIR'] !== undefined) return '';
  const folder = join(top, '.git');
  const head = await lineOf(join(folder, 'HEAD'));
  const branch = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  return branch === undefined || branch.includes('..') ? head : lineOf(join(folder, branch));
}

async function lineOf(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trimEnd(),
    () => '',
  );
}

/** The commits of a branch since an earlier one; `count` excludes those that merges brought. */
export interface BroughtCommits {
  readonly head: string;
  readonly count: number;
}

/** Undefined when there are no new commits, or when what is checked out does not build on the earlier commit. */
export async function broughtCommits(place: GitPlace, before: string): Promise<BroughtCommits | undefined> {
  const range = ['rev-list', '--first-parent', '--left-right', '--count', `${before}...HEAD`];
  const [left, right] = (await runGit(place, range)).output.split('\t').map(Number);
  if (left !== 0 || right === undefined || right === 0) return undefined;
  return { head: await checkedOut(place), count: right };
}

/** The iteration of a run that made the commit which is checked out, according to the trailers of the commit. */
export interface CommittedIteration {
  readonly iteration: number;
  readonly commit: string;
}

/** Undefined when the commit that is checked out was not made for an iteration of this run. */
export async function committedIteration(place: GitPlace, runId: string): Promise<CommittedIteration | undefined> {
  const { output } = await runGit(place, ['log', '-1', `--format=${TRAILERS}`, 'HEAD']);
  const [commit = '', run, iteration] = output.split('\n');
  return run === runId && /^\d+$/.test(iteration ?? '') ? { iteration: Number(iteration), commit } : undefined;
}

const TRAILERS = ['Pawl-Run', 'Pawl-Iteration'].reduce(
  (format, key) => `${format}%n%(trailers:key=${key},valueonly,separator=%x2C)`,
  '%H',
);

/** Why nothing can be committed in a folder; undefined when git works there. Never rejects. */
export async function whyNoCommit(place: GitPlace): Promise<string | undefined> {
  const inside = await runGit(place, ['rev-parse', '--is-inside-work-tree']);
  if (inside.error !== undefined) return whyNoRepository(place.folder, inside.error);
  return inside.output === 'true' ? undefined : `${place.folder} is not in the work tree of its git repository`;
}

/** The error of a first question about a folder, in words for the user. */
export function whyNoRepository(folder: string, error: string): string {
  return error.includes(': not a git repository') ? `${folder} is not in a git repository` : `${folder}: ${error}`;
}
