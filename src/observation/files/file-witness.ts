import type { BigIntStats } from 'node:fs';
import { statOf } from './large-files.js';
import { fileAt, type PathBytes } from './work-tree.js';

/** Remembers how files looked, to tell later whether somebody has touched them since. */
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
