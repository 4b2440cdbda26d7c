import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { ConditionOf } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import { plainPath, protectedMatcher } from './protected-paths.js';

type Protected = ConditionOf<'protected_path_changed'>;

interface GuardedFile {
  /** Changes whenever the file is written, even with the same content. */
  readonly mark: string;
  readonly content: string;
}

/** Every protected file at a moment, by path. `problem`: why that is not known. */
export interface Guarded {
  readonly files: ReadonlyMap<string, GuardedFile>;
  readonly problem?: string | undefined;
}

/** At the top of the working directory these belong to Pawl and git. A glob that names them is followed all the same. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['.git', '.ralph']);
const MOST_FILES = 100_000;
const LARGE_BYTES = 64n * 1024n * 1024n;

/**
 * Looks at protected files itself, whatever an ignore rule says: an agent can write such rules. A file is read again only
 * when its inode has changed, which no touch of its times can hide.
 */
export class GuardedFiles {
  readonly #workingDir: string;
  /** The folders and files that hold everything protected. */
  readonly bases: readonly string[];
  readonly #isProtected: (path: string) => boolean;
  #known = new Map<string, GuardedFile>();

  constructor(workingDir: string, conditions: readonly Protected[]) {
    this.#workingDir = workingDir;
    const matchers = conditions.map(protectedMatcher);
    this.#isProtected = (path) => matchers.some((isMatch) => isMatch(path));
    const written = conditions.flatMap(({ paths }) => paths.map(plainPath));
    this.bases = [...new Set(written.map((path) => picomatch.scan(path).base))];
  }

  async look(): Promise<Guarded> {
    const known = new Map<string, GuardedFile>();
    try {
      for (const base of this.bases) await this.#walk(base, known);
    } catch (error) {
      return { files: new Map(), problem: messageOf(error) };
    }
    this.#known = known;
    return { files: known };
  }

  async #walk(path: string, found: Map<string, GuardedFile>): Promise<void> {
    const full = join(this.#workingDir, path);
    const stat = await statOf(full);
    if (stat === undefined || found.has(path)) return;
    if (stat.isDirectory()) {
      for (const name of await readdir(full)) {
        if (path !== '') await this.#walk(`${path}/${name}`, found);
        else if (!OWN_FOLDERS.has(name)) await this.#walk(name, found);
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

/** Paths that were created, changed or removed between two looks. Undefined when one of them failed. */
export function changedBetween(before: Guarded, after: Guarded): readonly string[] | undefined {
  return pathsThatDiffer(before, after, ({ content }) => content);
}

/** As `changedBetween`, with the paths that were written again with the same content. */
export function writtenBetween(before: Guarded, after: Guarded): readonly string[] | undefined {
  return pathsThatDiffer(before, after, ({ mark }) => mark);
}

function pathsThatDiffer(
  before: Guarded,
  after: Guarded,
  of: (file: GuardedFile) => string,
): readonly string[] | undefined {
  if (before.problem !== undefined || after.problem !== undefined) return undefined;
  const valueOf = (file: GuardedFile | undefined) => file && of(file);
  const paths = new Set([...before.files.keys(), ...after.files.keys()]);
  return [...paths].filter((path) => valueOf(before.files.get(path)) !== valueOf(after.files.get(path))).sort();
}

/** One figure of the protected files that count, for the record. */
export function digestOf({ files, problem }: Guarded, counts: (path: string) => boolean): string | undefined {
  if (problem !== undefined) return undefined;
  const hash = createHash('sha256');
  const paths = [...files.keys()].filter(counts).sort();
  for (const path of paths) hash.update(`${path}\0${files.get(path)?.content ?? ''}\0`);
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
