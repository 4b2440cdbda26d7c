import { accessSync, constants, type BigIntStats } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { MOST_NESTED, NESTED_PLACEHOLDER, TOO_DEEP } from '../../workspace/stage-work.js';
import { statOf, type LargeFiles } from './large-files.js';
import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import type { UserGit } from './user-git.js';
import { fileAt, joinPaths, type PathBytes, splitPaths } from './work-tree.js';

const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

interface Survey extends TreeStatus {
  /** What git could not look at, in its words. */
  readonly warnings: readonly string[];
}

/** How the tree differs from the index, nested repositories included. */
export async function surveyTree(shadow: ShadowRepository, limits: CallLimits): Promise<Survey> {
  const args = ['status', '--porcelain=v2', '-z', '-uall', '--no-renames', '--ignore-submodules=all'];
  for (let round = 1; ; round++) {
    // Git's memory of untracked files does not notice that a nested repository is one no longer.
    const memory = round === 1 ? [] : ['-c', 'core.untrackedCache=false'];
    // oxlint-disable-next-line no-await-in-loop -- each round looks one nested repository deeper
    const { stdout, stderr } = await shadow.git([...memory, ...args], limits);
    const status = withoutOwnFiles(parseTreeStatus(stdout), shadow);
    if (status.nested.length === 0) return { ...status, warnings: linesOf(stderr) };
    if (round === MOST_NESTED) throw new GitFailed(TOO_DEEP);
    const entries = status.nested.map((folder) => `100644 ${EMPTY_BLOB} 0\t${folder}${NESTED_PLACEHOLDER}\0`).join('');
    // oxlint-disable-next-line no-await-in-loop -- as above
    await shadow.git(['update-index', '-z', '--index-info'], limits, { input: Buffer.from(entries, 'latin1') });
  }
}

function withoutOwnFiles(status: TreeStatus, { ownFiles }: ShadowRepository): TreeStatus {
  return {
    ...status,
    changed: status.changed.filter((path) => !ownFiles.includes(path)),
    nested: status.nested.filter((path) => !ownFiles.includes(path)),
  };
}

function linesOf(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.trim() !== '');
}

const FILES_AT_A_TIME = 2000;

interface SortedFiles {
  /** For git to read. */
  readonly ordinary: readonly PathBytes[];
  readonly large: readonly PathBytes[];
  /** Neither a file nor a symlink: a FIFO, a socket, or a folder since a moment. */
  readonly unfit: readonly PathBytes[];
}

/** What can be done with the files that changed. */
export async function sortFiles(
  top: string,
  paths: readonly PathBytes[],
  largeFiles: LargeFiles,
): Promise<SortedFiles> {
  const sorted: Record<keyof SortedFiles, PathBytes[]> = { ordinary: [], large: [], unfit: [] };
  for (const [index, path] of paths.entries()) {
    sorted[kindOf(statOf(fileAt(top, path)), largeFiles)].push(path);
    // Others live in this process too.
    // oxlint-disable-next-line no-await-in-loop -- the pause is the point
    if (index % FILES_AT_A_TIME === FILES_AT_A_TIME - 1) await breathe();
  }
  return sorted;
}

function kindOf(stat: BigIntStats | undefined, largeFiles: LargeFiles): keyof SortedFiles {
  // What has gone in the meantime is removed by git, which looks again.
  if (stat === undefined || stat.isSymbolicLink()) return 'ordinary';
  if (!stat.isFile()) return 'unfit';
  return largeFiles.isLarge(stat) ? 'large' : 'ordinary';
}

/** How the working tree differs from the index of the shadow repository. */
interface TreeStatus {
  /** New or with other content, mode or kind. */
  readonly changed: readonly PathBytes[];
  readonly removed: readonly PathBytes[];
  /** Folders with a repository of their own, into which git does not look by itself. */
  readonly nested: readonly PathBytes[];
  /** The index holds something else than the last snapshot. */
  readonly isStaged: boolean;
}

/** Reads `git status --porcelain=v2 -z --no-renames`. */
function parseTreeStatus(output: Buffer): TreeStatus {
  const changed: PathBytes[] = [];
  const removed: PathBytes[] = [];
  const nested: PathBytes[] = [];
  let isStaged = false;
  for (const record of output.toString('latin1').split('\0')) {
    if (record.startsWith('? ')) {
      const path = record.slice(2);
      if (path.endsWith('/')) nested.push(path);
      else changed.push(path);
    } else if (record.startsWith('1 ')) {
      const path = record.split(' ').slice(8).join(' ');
      const [inIndex, inTree] = record.slice(2, 4);
      isStaged ||= inIndex !== '.';
      if (inTree === 'D') removed.push(path);
      else if (inTree !== '.') changed.push(path);
    }
  }
  return { changed, removed, nested, isStaged };
}

interface IgnoredFiles {
  /** Ignored by a rule but tracked by the user: they belong into a snapshot. */
  readonly tracked: readonly PathBytes[];
  /** In the shadow's index, and ignored since: they do not belong there any more. */
  readonly leftOver: readonly PathBytes[];
  /** Why it could not be told, in git's words. */
  readonly unknown: readonly string[];
}

const NONE: IgnoredFiles = { tracked: [], leftOver: [], unknown: [] };

/**
 * A snapshot is all files minus ignored ones, plus ignored ones that the user tracks, whatever was there before. Git alone
 * does not keep to that once a rule changes; asked only when a rule, or what the user tracks, may have changed.
 */
export class IgnoredFilesWatch {
  readonly #shadow: ShadowRepository;
  readonly #user: UserGit;
  #indexMark: string | undefined;
  #tracked: ReadonlySet<PathBytes> | undefined;
  /** Tracked by the user, but not there: they are looked for at every snapshot, as no status shows them. */
  #absent: readonly PathBytes[] = [];

  constructor(shadow: ShadowRepository, user: UserGit) {
    this.#shadow = shadow;
    this.#user = user;
  }

  /** The next look asks again, whatever seems to have changed. */
  forget(): void {
    this.#tracked = undefined;
  }

  async look(status: Pick<TreeStatus, 'changed' | 'removed'>, limits: CallLimits): Promise<IgnoredFiles> {
    const indexMark = this.#user.indexMark();
    const hasNewRules = [...status.changed, ...status.removed].some(isRules);
    const known = indexMark === this.#indexMark && !hasNewRules ? this.#tracked : undefined;
    if (known !== undefined) {
      const waiting = [...this.#absent, ...status.removed.filter((path) => known.has(path))];
      return { ...NONE, tracked: this.#present(waiting) };
    }
    this.forget();
    const [tracked, { stdout }] = await Promise.all([
      this.#trackedByUser(limits),
      this.#shadow.git(['ls-files', '-ci', '--exclude-standard', '-z'], limits),
    ]);
    if (tracked instanceof GitFailed) return { ...NONE, unknown: [tracked.message] };
    const wanted = new Set(tracked);
    this.#tracked = wanted;
    this.#indexMark = indexMark;
    const leftOver = splitPaths(stdout).filter((path) => !wanted.has(path));
    return { ...NONE, tracked: this.#present(tracked), leftOver };
  }

  /** Those that are there; the others are looked for again. */
  #present(paths: readonly PathBytes[]): readonly PathBytes[] {
    const { top } = this.#shadow.tree;
    const present = new Set(paths.filter((path) => statOf(fileAt(top, path))?.isDirectory() === false));
    this.#absent = paths.filter((path) => !present.has(path));
    return [...present];
  }

  /** A repository of the user's that git cannot read is no reason to see nothing at all. */
  async #trackedByUser(limits: CallLimits): Promise<readonly PathBytes[] | GitFailed> {
    try {
      const { ownFiles } = this.#shadow;
      return (await this.#user.trackedIgnored(limits)).filter((path) => !ownFiles.includes(path));
    } catch (error) {
      if (error instanceof GitFailed && error.isDamage) return error;
      throw error;
    }
  }
}

function isRules(path: PathBytes): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

/** From so many files on, their objects go into packs instead of a file each. */
const MANY_FILES = 500;
/** Git compares every object of a pack in the making with all others of it. */
const FILES_PER_PACK = 5000;

interface Staged {
  /** Files that could not be read; the index keeps what it had. */
  readonly unreadable: readonly PathBytes[];
  readonly warnings: readonly string[];
}

export async function unstage(
  shadow: ShadowRepository,
  paths: readonly PathBytes[],
  limits: CallLimits,
): Promise<void> {
  if (paths.length === 0) return;
  await shadow.git(['update-index', '-z', '--force-remove', '--stdin'], limits, { input: joinPaths(paths) });
}

/** Takes the content of files into the index. Files may come, go and change while it does. */
export async function stageFiles(
  shadow: ShadowRepository,
  paths: readonly PathBytes[],
  { hasObjects, limits }: { readonly hasObjects: boolean; readonly limits: CallLimits },
): Promise<Staged> {
  const inPacks = !hasObjects && paths.length >= MANY_FILES;
  const batchSize = inPacks ? FILES_PER_PACK : Math.max(1, paths.length);
  const unreadable: PathBytes[] = [];
  const warnings: string[] = [];
  for (let at = 0; at < paths.length; at += batchSize) {
    const batch = paths.slice(at, at + batchSize);
    // oxlint-disable-next-line no-await-in-loop -- one index, one writer
    const staged = await stageBatch(shadow, batch, inPacks, limits);
    unreadable.push(...staged.unreadable);
    warnings.push(...staged.warnings);
  }
  return { unreadable, warnings };
}

/** Git gives up at the first file that it cannot read: that one is dropped and the rest tried again. */
async function stageBatch(
  shadow: ShadowRepository,
  paths: readonly PathBytes[],
  inPacks: boolean,
  limits: CallLimits,
): Promise<Staged> {
  let waiting = paths;
  const unreadable: PathBytes[] = [];
  for (let packs = inPacks; waiting.length > 0; packs = false) {
    const outcome = await updateIndex(shadow, waiting, packs, limits); // oxlint-disable-line no-await-in-loop -- a retry
    if (!(outcome instanceof GitFailed)) return { unreadable, warnings: outcome };
    const refused = waiting.filter((path) => isNamed(path, outcome.stderr));
    if (refused.length === 0 && !packs) throw outcome;
    const dropped = new Set([...refused, ...waiting.filter((path) => !isReadable(shadow.tree.top, path))]);
    unreadable.push(...dropped);
    waiting = waiting.filter((path) => !dropped.has(path));
  }
  return { unreadable, warnings: [] };
}

async function updateIndex(
  shadow: ShadowRepository,
  paths: readonly PathBytes[],
  inPacks: boolean,
  limits: CallLimits,
): Promise<readonly string[] | GitFailed> {
  // What counts as a big file goes straight into a pack.
  const packing = inPacks ? ['-c', 'core.bigFileThreshold=1'] : [];
  const args = [...packing, 'update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  try {
    return linesOf((await shadow.git(args, limits, { input: joinPaths(paths) })).stderr);
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return error;
    throw error;
  }
}

function isNamed(path: PathBytes, stderr: string): boolean {
  const [, named] = /Unable to process path ([^]*?)\n?$/.exec(stderr) ?? [];
  // Git shows control characters as question marks.
  const shown = Buffer.from(path, 'latin1')
    .toString('utf8')
    .replaceAll(/[\0-\x08\x0B-\x1F\x7F]/g, '?'); // oxlint-disable-line no-control-regex -- these are meant
  return named === shown;
}

function isReadable(top: string, path: PathBytes): boolean {
  const file = fileAt(top, path);
  if (statOf(file)?.isFile() !== true) return true;
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
