import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  type BigIntStats,
} from 'node:fs';
import { statOf } from './large-files.js';
import { foldersOf, type RestorePlan } from './restore-plan.js';
import type { StagedFiles } from './staged-files.js';
import { fileAt, type PathBytes } from './work-tree.js';

interface RestoreSetting {
  readonly top: string;
  readonly staged: StagedFiles;
  /** Where things go that must make way and are in no snapshot. */
  readonly aside: string;
  /** Knows how the files looked that the checkpoint holds. */
  readonly witness: FileWitness;
}

const EXECUTABLE = 0o111;

/**
 * Does what is planned: each file is either as it was or as it is to be, whenever this is ended. Returns what someone
 * else has changed meanwhile: it is moved aside like everything that no snapshot holds.
 */
export function applyRestore(
  { writes, deletes, unkept }: RestorePlan,
  { top, staged, aside, witness }: RestoreSetting,
): readonly PathBytes[] {
  const changed: PathBytes[] = [];
  const makeWay = (path: PathBytes) => {
    if (witness.isUntouched(path)) return;
    if (statOf(fileAt(top, path))?.isFile() !== true) return;
    moveAside(top, path, aside);
    changed.push(path);
  };
  for (const path of unkept) moveAside(top, path, aside);
  const isMoved = new Set(unkept);
  const isInTheWay = conflictsWith(writes);
  const remove = (path: PathBytes) => {
    if (!isMoved.has(path)) makeWay(path);
    removeFile(top, path);
  };
  for (const path of deletes.filter(isInTheWay)) remove(path);
  for (const path of writes) {
    if (!isMoved.has(path)) makeWay(path);
    putInPlace(top, path, staged.at(path));
  }
  for (const path of deletes.filter((one) => !isInTheWay(one))) remove(path);
  return changed;
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

/** Remembers how files looked, to tell later whether someone has touched them since. */
export class FileWitness {
  readonly #top: string;
  readonly #seen: ReadonlyMap<PathBytes, string>;

  constructor(top: string, paths: readonly PathBytes[]) {
    this.#top = top;
    this.#seen = new Map(paths.map((path) => [path, this.#look(path)]));
  }

  isUntouched(path: PathBytes): boolean {
    return this.#seen.get(path) === this.#look(path);
  }

  #look(path: PathBytes): string {
    const stat = statOf(fileAt(this.#top, path));
    return stat === undefined || stat.isDirectory() ? '' : marksOf(stat);
  }
}

function marksOf({ ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs, mode].join(' ');
}
