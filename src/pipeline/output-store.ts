import { createHash, randomUUID } from 'node:crypto';
import { constants, lstatSync, mkdirSync, rmSync, type Stats } from 'node:fs';
import { copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileSystemError } from '../model/errors.js';
import { isInside } from '../config/config-file.js';

/** Outputs that were not approved are kept to be inspected, up to this much; then the oldest go. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** Of a link that takes a file's place meanwhile nothing is read. */
const NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW;

export interface OutputStoreOptions {
  /** Holds a folder per item. */
  readonly folder: string;
  readonly workingDir: string;
  /** Of each item, relative to the working directory. */
  readonly paths: readonly string[];
}

/** Where outputs wait for their approval, and how they get from there into their place: whole, or not at all. */
export class OutputStore {
  readonly #options: OutputStoreOptions;
  /** What the outputs looked like when they were put into their place. */
  readonly #placed = new Map<number, string>();
  readonly #since = Date.now();
  readonly #kept: { readonly folder: string; readonly bytes: number }[] = [];
  #keptBytes = 0;

  constructor(options: OutputStoreOptions) {
    this.#options = options;
  }

  /** Where an attempt has to write. There is nothing there yet. */
  stage(index: number, attempt: number): string {
    const folder = this.#attemptFolder(index, attempt);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return this.stagedPath(index, attempt);
  }

  stagedPath(index: number, attempt: number): string {
    return join(this.#attemptFolder(index, attempt), basename(this.#options.paths[index] ?? ''));
  }

  /** What an attempt has left where it had to write, if it is a file. A link is none: what it leads to is not ours. */
  async found(index: number, attempt: number): Promise<'file' | 'nothing' | 'no-file'> {
    const stats = await lstat(this.stagedPath(index, attempt)).catch(() => undefined);
    if (stats === undefined) return 'nothing';
    return stats.isFile() ? 'file' : 'no-file';
  }

  async hash(index: number, attempt: number): Promise<string> {
    const path = this.stagedPath(index, attempt);
    return (await hashOf(path)) ?? refuse('read', path, new Error('it is gone'));
  }

  /** Moves an approved output into its place. `lost`: it is neither there nor where it waited. */
  async place(index: number, attempt: number, hash: string): Promise<'placed' | 'lost'> {
    const { workingDir } = this.#options;
    const target = this.#target(index);
    const staged = this.stagedPath(index, attempt);
    if ((await hashOf(staged)) === hash) await moveInto(staged, target, workingDir);
    else if ((await hashOf(target)) !== hash) return 'lost';
    await syncFolder(dirname(target));
    this.#placed.set(index, looksOf(lstatSync(target)));
    await rm(this.#itemFolder(index), { recursive: true, force: true }).catch(() => undefined);
    return 'placed';
  }

  /** Of items with the hash of their output: those whose output is gone from its place, or is another now. */
  async lost(items: Iterable<readonly [number, string]>): Promise<readonly number[]> {
    const isAsPlaced = (index: number, stats: Stats) => {
      const looked = this.#placed.get(index);
      // What was in its place before this process began was checked then.
      return looked === undefined ? stats.ctimeMs < this.#since - CLOCK_SLACK_MS : looked === looksOf(stats);
    };
    return lostOutputs(items, (index) => this.#target(index), isAsPlaced);
  }

  #target(index: number): string {
    const { workingDir, paths } = this.#options;
    return resolve(workingDir, paths[index] ?? '');
  }

  /** An output that was not approved: the last of each item is kept, as far as there is room. */
  async keep(index: number, attempt: number): Promise<void> {
    const folder = this.#attemptFolder(index, attempt);
    await rm(this.#attemptFolder(index, attempt - 1), { recursive: true, force: true }).catch(() => undefined);
    const bytes = (await lstat(this.stagedPath(index, attempt)).catch(() => undefined))?.size ?? 0;
    this.#kept.push({ folder, bytes });
    this.#keptBytes += bytes;
    while (this.#keptBytes > KEPT_BYTES && this.#kept.length > 1) {
      const oldest = this.#kept.shift();
      this.#keptBytes -= oldest?.bytes ?? 0;
      rmSync(oldest?.folder ?? '', { recursive: true, force: true });
    }
  }

  #itemFolder(index: number): string {
    return join(this.#options.folder, String(index).padStart(6, '0'));
  }

  #attemptFolder(index: number, attempt: number): string {
    return join(this.#itemFolder(index), String(attempt));
  }
}

/** The time of a file may be a little behind the clock. */
const CLOCK_SLACK_MS = 1000;

/** The indexes of items whose output is gone or has changed. `isUnchanged` saves reading the file. */
export async function lostOutputs(
  items: Iterable<readonly [number, string]>,
  pathOf: (index: number) => string,
  isUnchanged: (index: number, stats: Stats) => boolean,
): Promise<readonly number[]> {
  const lost: number[] = [];
  for (const [index, hash] of items) {
    const path = pathOf(index);
    const stats = lstatOf(path);
    if (stats?.isFile() !== true) lost.push(index);
    // oxlint-disable-next-line no-await-in-loop -- few of them have to be read
    else if (!isUnchanged(index, stats) && (await hashOf(path))?.startsWith(hash) !== true) lost.push(index);
  }
  return lost;
}

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Such as a file in place of its folder.
    return undefined;
  }
}

function looksOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

/** On disk under the new name, or under the old one: a reader never sees half of it. */
async function moveInto(staged: string, target: string, workingDir: string): Promise<void> {
  try {
    await syncFile(staged);
    makeFolders(dirname(target));
    if (!isInside(dirname(target), workingDir)) {
      throw new Error(`${dirname(target)} is outside the working directory`);
    }
    await rename(staged, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') refuse('write', target, error);
    await copyInto(staged, target);
  }
}

/** Another file system: the copy is made next to its place. */
async function copyInto(staged: string, target: string): Promise<void> {
  const draft = join(dirname(target), `.pawl-${randomUUID()}`);
  try {
    await copyFile(staged, draft);
    await syncFile(draft);
    await rename(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    refuse('write', target, error);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  await syncFile(folder).catch((error: unknown) => {
    // Some file systems cannot, and keep their names by other means.
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      refuse('sync', folder, error);
    }
  });
}

/** Step by step: where nothing can be made, Node's recursive way may never end. */
function makeFolders(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolders(dirname(folder));
    mkdirSync(folder);
  }
}

/** Undefined when there is no such file, or a link in its place. */
async function hashOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  const hash = createHash('sha256');
  try {
    const file = await open(path, NO_LINK);
    for await (const chunk of file.createReadStream()) hash.update(chunk as Buffer);
  } catch (error) {
    return refuse('read', path, error);
  }
  return hash.digest('hex');
}

function refuse(operation: string, path: string, cause: unknown): never {
  throw new FileSystemError(operation, path, cause);
}
