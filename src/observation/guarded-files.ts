import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { ConditionOf } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import { plainPath, protectedMatcher } from './protected-paths.js';

type Protected = ConditionOf<'protected_path_changed'>;

/** The contents of every protected file at a moment, by path. `problem`: why that cannot be told. */
export interface Guarded {
  readonly contents: ReadonlyMap<string, string>;
  readonly problem?: string | undefined;
}

/** Pawl's own and git's: both change without an agent's doing. A glob that names them is looked up all the same. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['.git', '.ralph']);
const MOST_FILES = 100_000;
const LARGE_BYTES = 64n * 1024n * 1024n;

/**
 * Looks at protected files itself, whatever an ignore rule says: an agent can write such rules. A file is read again only
 * when its inode has changed, which no touch of its times can hide.
 */
export class GuardedFiles {
  readonly #workingDir: string;
  readonly #bases: readonly string[];
  readonly #isProtected: (path: string) => boolean;
  #known = new Map<string, { readonly mark: string; readonly content: string }>();

  constructor(workingDir: string, conditions: readonly Protected[]) {
    this.#workingDir = workingDir;
    const matchers = conditions.map(protectedMatcher);
    this.#isProtected = (path) => matchers.some((isMatch) => isMatch(path));
    const written = conditions.flatMap(({ paths }) => paths.map(plainPath));
    this.#bases = [...new Set(written.map((path) => picomatch.scan(path).base))];
  }

  async look(): Promise<Guarded> {
    const known = new Map<string, { readonly mark: string; readonly content: string }>();
    try {
      for (const base of this.#bases) await this.#walk(base, known);
    } catch (error) {
      return { contents: new Map(), problem: messageOf(error) };
    }
    this.#known = known;
    return { contents: new Map([...known].map(([path, { content }]) => [path, content])) };
  }

  async #walk(path: string, found: Map<string, { readonly mark: string; readonly content: string }>): Promise<void> {
    const full = join(this.#workingDir, path);
    const stat = await statOf(full);
    if (stat === undefined || found.has(path)) return;
    if (stat.isDirectory()) {
      for (const name of await readdir(full)) {
        if (!OWN_FOLDERS.has(name)) await this.#walk(path === '' ? name : `${path}/${name}`, found);
      }
      return;
    }
    if (!this.#isProtected(path)) return;
    if (found.size >= MOST_FILES) throw new Error(`more than ${MOST_FILES} files are protected`);
    const mark = [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(' ');
    const known = this.#known.get(path);
    found.set(path, known?.mark === mark ? known : { mark, content: await contentOf(full, stat) });
  }
}

/** What was made, changed or removed between two looks. Undefined when one of them could not be taken. */
export function changedBetween(before: Guarded, after: Guarded): readonly string[] | undefined {
  if (before.problem !== undefined || after.problem !== undefined) return undefined;
  const paths = new Set([...before.contents.keys(), ...after.contents.keys()]);
  return [...paths].filter((path) => before.contents.get(path) !== after.contents.get(path)).sort();
}

/** One figure of everything that is protected, for the record. */
export function digestOf({ contents, problem }: Guarded): string | undefined {
  if (problem !== undefined) return undefined;
  const hash = createHash('sha256');
  for (const path of [...contents.keys()].sort()) hash.update(`${path}\0${contents.get(path) ?? ''}\0`);
  return hash.digest('hex').slice(0, 32);
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

/** A pipe or a device is never read. */
async function contentOf(path: string, stat: BigIntStats): Promise<string> {
  const executable = (stat.mode & 0o100n) === 0n ? '' : ' x';
  if (stat.isSymbolicLink()) return `link ${await readlink(path)}`;
  if (!stat.isFile()) return `special ${stat.mode}`;
  if (stat.size > LARGE_BYTES) return `large ${stat.ino} ${stat.size} ${stat.mtimeNs}${executable}`;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return `${hash.digest('hex')}${executable}`;
}
