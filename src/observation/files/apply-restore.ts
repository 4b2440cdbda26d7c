import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import type { CallLimits } from './git-tool.js';
import { statOf } from './large-files.js';
import { foldersOf } from './obstacles.js';
import { fileAt, joinPaths, type PathBytes, splitPaths } from './path-bytes.js';
import type { RestorePlan } from './restore-plan.js';
import type { ShadowRepository } from './shadow-repository.js';
import type { StagedFiles } from './staged-files.js';

export interface RestoreSetting {
  readonly shadow: ShadowRepository;
  readonly staged: StagedFiles;
  /** Where things go that must make way and are in no snapshot. */
  readonly aside: string;
  readonly limits: CallLimits;
}

const EXECUTABLE = 0o111;
/** Always ignored, so that git has something to answer. */
const OWN_FILE = '.ralph/x';

/** Does what is planned: each file is either as it was or as it is to be, whenever this is ended. */
export async function applyRestore(
  { writes, deletes, unkept }: RestorePlan,
  { shadow, staged, aside, limits }: RestoreSetting,
): Promise<{ readonly deleted: number; readonly ignored: readonly PathBytes[] }> {
  const { top } = shadow.tree;
  for (const path of unkept) moveAside(top, path, aside);
  const isInTheWay = conflictsWith(writes);
  for (const path of deletes.filter(isInTheWay)) removeFile(top, path);
  for (const path of writes) putInPlace(top, path, staged.at(path));
  // By the rules of then, which are in place by now.
  const others = deletes.filter((path) => !isInTheWay(path));
  const ignored = await ignoredOf(shadow, others, limits);
  const isIgnored = new Set(ignored);
  for (const path of others) if (!isIgnored.has(path)) removeFile(top, path);
  return { deleted: deletes.length - ignored.length, ignored };
}

/** A file where a folder is to be, or the other way round. */
function conflictsWith(writes: readonly PathBytes[]): (path: PathBytes) => boolean {
  const files = new Set(writes);
  const folders = new Set(writes.flatMap(foldersOf));
  return (path) => folders.has(path) || foldersOf(path).some((folder) => files.has(folder));
}

function moveAside(top: string, path: PathBytes, aside: string): void {
  const target = fileAt(aside, path);
  mkdirSync(target.subarray(0, target.lastIndexOf('/')), { recursive: true });
  renameSync(fileAt(top, path), target);
}

function putInPlace(top: string, path: PathBytes, staged: Buffer): void {
  const target = fileAt(top, path);
  const there = statOf(target);
  if (there?.isDirectory() === true) removeEmptyFolders(target);
  if (there?.isFile() === true) keepMode(staged, Number(there.mode));
  mkdirSync(target.subarray(0, target.lastIndexOf('/')), { recursive: true });
  renameSync(staged, target);
}

/** A snapshot knows only whether a file is executable: who may read it stays as it is. */
function keepMode(staged: Buffer, mode: number): void {
  const stat = lstatSync(staged);
  if (!stat.isFile()) return;
  const readable = mode & 0o666;
  const executable = (stat.mode & 0o100) === 0 ? 0 : (readable >> 2) & EXECUTABLE;
  chmodSync(staged, readable | executable);
}

function removeEmptyFolders(folder: Buffer): void {
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    removeEmptyFolders(Buffer.concat([folder, Buffer.from('/'), name]));
  }
  rmdirSync(folder);
}

/** And the folders that are empty without it. */
function removeFile(top: string, path: PathBytes): void {
  if (statOf(fileAt(top, path)) !== undefined) unlinkSync(fileAt(top, path));
  for (const folder of foldersOf(path).toReversed()) {
    try {
      rmdirSync(fileAt(top, folder));
    } catch {
      // Something else is in it.
      return;
    }
  }
}

async function ignoredOf(
  shadow: ShadowRepository,
  paths: readonly PathBytes[],
  limits: CallLimits,
): Promise<readonly PathBytes[]> {
  if (paths.length === 0) return [];
  const input = joinPaths([OWN_FILE, ...paths]);
  const { stdout } = await shadow.git(['check-ignore', '--no-index', '-z', '--stdin'], limits, { input });
  return splitPaths(stdout).filter((path) => path !== OWN_FILE);
}
