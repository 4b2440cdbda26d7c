import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep, isAbsolute } from 'node:path';
import picomatch from 'picomatch';
import { messageOf } from '../model/errors.js';
import { plainPath, type Protected, protectedMatcher } from './protected-paths.js';

interface GuardedFile {
  /** Changes whenever the file is written, even with the same content. */
  readonly mark: string;
  readonly content: string;
}

interface FoundFile {
  readonly path: string;
  readonly full: string;
  readonly own: BigIntStats;
  readonly target: BigIntStats | undefined;
}

interface Walk {
  /** Paths that were kept. */
  readonly found: { has(path: string): boolean };
  readonly keep: (file: FoundFile) => Promise<void> | void;
}

/** Every protected file at a moment, by path. `problem`: why that is not known. */
export interface Guarded {
  readonly files: ReadonlyMap<string, GuardedFile>;
  readonly problem?: string | undefined;
}

/** At the top of the working directory these belong to Pawl and git. A glob that names them is followed all the same. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['.git', '.ralph']);
const PACKAGE_LINK = /(?:^|\/)node_modules\//;
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
  readonly #isOnTheWay: (path: string) => boolean;
  #known = new Map<string, GuardedFile>();

  constructor(workingDir: string, conditions: readonly Protected[]) {
    this.#workingDir = workingDir;
    const matchers = conditions.map(protectedMatcher);
    this.#isProtected = (path) => matchers.some((isMatch) => isMatch(path));
    const written = conditions.flatMap(({ paths }) => paths.map(plainPath));
    this.bases = [...new Set(written.map((path) => picomatch.scan(path).base))];
    const folders = written.flatMap(foldersOf).filter((folder) => folder !== '');
    this.#isOnTheWay = picomatch(folders, { dot: true, nonegate: true });
  }

  async look(): Promise<Guarded> {
    const known = new Map<string, GuardedFile>();
    const keep = async ({ path, full, own, target }: FoundFile) => {
      if (known.size >= MOST_FILES) throw new Error(`more than ${MOST_FILES} files are protected`);
      const mark = markOf(own) + (target === undefined ? '' : ` ${markOf(target)}`);
      const before = this.#known.get(path);
      known.set(path, before?.mark === mark ? before : { mark, content: await contentOf(full, own, target) });
    };
    try {
      await this.#walkAll({ found: known, keep });
    } catch (error) {
      return { files: new Map(), problem: messageOf(error) };
    }
    this.#known = known;
    return { files: known };
  }

  /** How many there are; more than `most` are not counted. No file is read. Rejects when a folder cannot be. */
  async count(most: number): Promise<number> {
    const found = new Set<string>();
    const enough = new Error('counted enough');
    const keep = ({ path }: FoundFile) => {
      found.add(path);
      if (found.size > most) throw enough;
    };
    await this.#walkAll({ found, keep }).catch((error: unknown) => {
      if (error !== enough) throw error;
    });
    return found.size;
  }

  async #walkAll(walk: Walk): Promise<void> {
    const workingDir = await realpath(this.#workingDir);
    for (const base of this.bases) await this.#walk(base, walk, [workingDir]);
  }

  /** `parents`: the real folders that hold the links on the way here. */
  async #walk(path: string, walk: Walk, parents: readonly string[]): Promise<void> {
    const full = join(this.#workingDir, path);
    const own = await statOf(full);
    if (own === undefined || walk.found.has(path)) return;
    if (own.isDirectory()) return this.#walkFolder(path, walk, parents);
    const target = own.isSymbolicLink() ? await targetOf(full) : undefined;
    if (this.#isProtected(path)) await walk.keep({ path, full, own, target });
    if (target?.isDirectory() !== true || !this.#isFollowed(path)) return;
    const [real, parent] = await Promise.all([realpath(full), realpath(dirname(full))]);
    const within = [...parents, parent];
    const isCycle = within.some((folder) => isInside(folder, real));
    const [workingDir = ''] = parents;
    // A protected folder is walked under its own name.
    const isKnown = isInside(real, workingDir) && this.#isProtected(relative(workingDir, real));
    if (!isCycle && !isKnown) await this.#walkFolder(path, walk, within);
  }

  async #walkFolder(path: string, walk: Walk, parents: readonly string[]): Promise<void> {
    for (const name of await readdir(join(this.#workingDir, path))) {
      if (path !== '') await this.#walk(`${path}/${name}`, walk, parents);
      else if (!OWN_FOLDERS.has(name)) await this.#walk(name, walk, parents);
    }
  }

  /** As in a shell, `**` does not look behind links for a match. Links of a package manager are not followed. */
  #isFollowed(path: string): boolean {
    return !PACKAGE_LINK.test(path) && (this.#isProtected(path) || this.#isOnTheWay(path));
  }
}

// The folders that a glob names before its first `**`.
function foldersOf(glob: string): readonly string[] {
  const parts = glob.split('/');
  const end = parts.findIndex((part) => part.includes('**'));
  const fixed = end === -1 ? parts : parts.slice(0, end);
  return fixed.map((_, index) => fixed.slice(0, index + 1).join('/'));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function markOf({ ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs, mode].join(' ');
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

/** What a link leads to. Undefined if it leads nowhere, or to a place that may not be read. */
async function targetOf(link: string): Promise<BigIntStats | undefined> {
  return stat(link, { bigint: true }).catch(() => undefined);
}

async function contentOf(path: string, own: BigIntStats, target: BigIntStats | undefined): Promise<string> {
  if (!own.isSymbolicLink()) return fileContent(path, own);
  const link = `link ${await readlink(path)}`;
  if (target === undefined || target.isDirectory()) return link;
  return `${link}\0${await fileContent(path, target).catch(() => `unreadable ${markOf(target)}`)}`;
}

/** A pipe or a device is never read, nor is more than a file's size: some files of /proc have no end. */
async function fileContent(path: string, file: BigIntStats): Promise<string> {
  const executable = (file.mode & 0o100n) === 0n ? '' : ' x';
  if (!file.isFile()) return `special ${file.mode}`;
  if (file.size > LARGE_BYTES) return `large ${file.ino} ${file.size} ${file.mtimeNs}${executable}`;
  const hash = createHash('sha256');
  if (file.size > 0n) {
    for await (const chunk of createReadStream(path, { end: Number(file.size) - 1 })) hash.update(chunk as Buffer);
  }
  return `${hash.digest('hex')}${executable}`;
}

/** The files under `progress.also`, which may be ignored or outside the working directory. */
export function alsoFiles(workingDir: string, paths: readonly string[], home: string | undefined): GuardedFiles {
  return new GuardedFiles(workingDir, [{ paths: paths.map((path) => relativeTo(workingDir, path, home)) }]);
}

/** Paths are matched relative to the working directory. */
function relativeTo(workingDir: string, path: string, home: string | undefined): string {
  const full = home === undefined ? path : path.replace(/^~(?=\/|$)/, home);
  return isAbsolute(full) ? relative(workingDir, full) : full;
}
