import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../process/run-tool.js';
import { runGit } from '../../workspace/git.js';
import { HOW_TO_DO_WITHOUT } from './shadow-repository.js';
import { splitPaths, findWorkTree, type WorkTree } from './work-tree.js';

export interface FileCounts {
  /** A git work tree with more files that no rule ignores is refused. */
  readonly fileCount: number;
  /** The same outside git, where every file has to be read and copied first. */
  readonly fileCountOutsideGit: number;
}

/** A git tree costs about what `git status` does. Outside git the first snapshot copies every file. */
export const FILE_LIMITS: FileCounts = { fileCount: 1_000_000, fileCountOutsideGit: 200_000 };
const COUNTING_MS = 20_000;
const NOT_COUNTED: ReadonlySet<string> = new Set(['.git', '.ralph']);

export function fileLimit({ git }: WorkTree, limits: FileCounts): number {
  return git === undefined ? limits.fileCountOutsideGit : limits.fileCount;
}

/** What follows from too many files, and what to do. */
export function tooManyText({ top, git }: WorkTree, most: number): string {
  const judged =
    git === undefined
      ? 'no_progress, oscillation and diff_exceeds cannot be judged'
      : 'diff_exceeds cannot be judged, and no_progress and oscillation only by git status';
  const advice = `add what does not matter to .gitignore, or run in a smaller folder; ${HOW_TO_DO_WITHOUT}`;
  return `${top} has more than ${most.toLocaleString('en-US')} files, so there are no snapshots for diff and restore; ${judged}; ${advice}`;
}

/** Why a run in this folder will have no snapshots; undefined when nothing stands against them or it cannot be told. */
export async function tooManyFiles(
  workingDir: string,
  environment: Environment,
  limits: FileCounts = FILE_LIMITS,
): Promise<string | undefined> {
  try {
    const tree = findWorkTree(workingDir);
    const most = fileLimit(tree, limits);
    const count = tree.git === undefined ? await countBelow(tree.top, most) : await countByGit(tree, environment);
    return count > most ? tooManyText(tree, most) : undefined;
  } catch {
    return undefined;
  }
}

async function countByGit({ top, git }: WorkTree, environment: Environment): Promise<number> {
  const place = { folder: top, environment, gitDir: git?.gitDir, workTree: top, isIsolated: true };
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout, error, overflow } = await runGit({ ...place, timeoutMs: COUNTING_MS }, args);
  // No list of fewer files is too long to be read.
  if (overflow) return Number.POSITIVE_INFINITY;
  if (error !== undefined) throw new Error(error);
  return splitPaths(stdout).length;
}

/** Counts no further than one more than `most`. An ignore rule may leave some of them out. */
async function countBelow(folder: string, most: number): Promise<number> {
  let count = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && count <= most; next = waiting.pop()) {
    // oxlint-disable-next-line no-await-in-loop -- one folder after the other, so that it can end early
    for await (const entry of await opendir(next, { bufferSize: 1024 })) {
      if (!entry.isDirectory()) count += 1;
      else if (!NOT_COUNTED.has(entry.name)) waiting.push(join(next, entry.name));
    }
  }
  return count;
}
