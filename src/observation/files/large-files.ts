import { type BigIntStats, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallLimits, ShadowRepository } from './shadow-repository.js';
import { fileAt, joinPaths, type PathBytes } from './work-tree.js';

export interface LargeFileChanges {
  readonly gone: readonly PathBytes[];
  /** Still there, but of a size that can be kept, or no file any more. */
  readonly shrunk: readonly PathBytes[];
  /** Stand-ins were replaced. */
  readonly isStaged: boolean;
}

/**
 * Files too large to be copied at every change. A snapshot holds a stand-in that tells size, modification time and inode:
 * an untouched file is no change, a file written again is one, even with the same content. Git is told to take such an
 * entry of the index as unchanged, so that it never reads the file; that it is still true is looked up here.
 */
export class LargeFiles {
  readonly #shadow: ShadowRepository;
  readonly #limitBytes: number;
  /** The entry of each; undefined when it is not known whether the index has it. */
  #known: Map<PathBytes, string | undefined> | undefined;

  constructor(shadow: ShadowRepository, limitBytes: number) {
    this.#shadow = shadow;
    this.#limitBytes = limitBytes;
  }

  isLarge(stat: BigIntStats): boolean {
    return stat.isFile() && stat.size > BigInt(this.#limitBytes);
  }

  /** Only a stand-in of this file is kept. */
  includes(path: PathBytes): boolean {
    return this.#load().has(path);
  }

  /** Brings the stand-ins up to date. What is no longer large, or gone, is git's to look at. */
  async refresh(limits: CallLimits): Promise<LargeFileChanges> {
    const gone: PathBytes[] = [];
    const shrunk: PathBytes[] = [];
    const changed: PathBytes[] = [];
    for (const [path, entry] of this.#load()) {
      const stat = statOf(fileAt(this.#shadow.tree.top, path));
      if (stat === undefined || stat.isDirectory()) gone.push(path);
      else if (!this.isLarge(stat)) shrunk.push(path);
      else if (entryFor(stat) !== entry) changed.push(path);
    }
    const released = [...gone, ...shrunk];
    if (released.length > 0) {
      const input = joinPaths(released);
      await this.#shadow.git(['update-index', '-z', '--no-assume-unchanged', '--stdin'], limits, { input });
      this.forget(released);
    }
    await this.keep(changed, limits);
    return { gone, shrunk, isStaged: changed.length > 0 };
  }

  /** Puts stand-ins into the index. */
  async keep(paths: readonly PathBytes[], limits: CallLimits): Promise<void> {
    if (paths.length === 0) return;
    const known = this.#load();
    for (const path of paths) known.set(path, undefined);
    // Written first: a file that is named here for nothing does no harm, one that is missing would never be inspected.
    this.#save();
    for (const path of paths) {
      const stat = statOf(fileAt(this.#shadow.tree.top, path));
      // oxlint-disable-next-line no-await-in-loop -- there are few
      if (stat !== undefined && this.isLarge(stat)) await this.#stage(path, stat, limits);
    }
  }

  forget(paths: readonly PathBytes[]): void {
    const known = this.#load();
    const found = paths.filter((path) => known.delete(path));
    if (found.length > 0) this.#save();
  }

  forgetAll(): void {
    this.forget([...this.#load().keys()]);
  }

  async #stage(path: PathBytes, stat: BigIntStats, limits: CallLimits): Promise<void> {
    const standIn = standInFor(stat);
    const { stdout } = await this.#shadow.git(['hash-object', '-w', '--stdin'], limits, { input: standIn });
    const line = Buffer.from(`${modeOf(stat)} ${stdout.toString().trim()} 0\t${path}\0`, 'latin1');
    await this.#shadow.git(['update-index', '-z', '--index-info'], limits, { input: line });
    const input = joinPaths([path]);
    await this.#shadow.git(['update-index', '-z', '--assume-unchanged', '--stdin'], limits, { input });
    this.#load().set(path, entryFor(stat));
  }

  #load(): Map<PathBytes, string | undefined> {
    this.#known ??= new Map(readNames(this.#file).map((path) => [path, undefined]));
    return this.#known;
  }

  #save(): void {
    writeFileSync(this.#file, joinPaths([...this.#load().keys()]));
  }

  get #file(): string {
    return join(this.#shadow.folder, 'large-files');
  }
}

function readNames(file: string): readonly PathBytes[] {
  try {
    return readFileSync(file, 'latin1')
      .split('\0')
      .filter((path) => path !== '');
  } catch {
    return [];
  }
}

const STAND_IN = 'A file that was too large to be kept.\0\n';

/** The zero byte makes it a binary file, which has no lines. */
function standInFor({ size, mtimeNs, ino }: BigIntStats): string {
  return `${STAND_IN}size ${size}\nmtime ${mtimeNs}\ninode ${ino}\n`;
}

export function isStandIn(content: Buffer): boolean {
  return content.toString('latin1').startsWith(STAND_IN);
}

function modeOf({ mode }: BigIntStats): string {
  return (mode & 0o100n) === 0n ? '100644' : '100755';
}

function entryFor(stat: BigIntStats): string {
  return `${modeOf(stat)} ${standInFor(stat)}`;
}

export function statOf(file: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}
