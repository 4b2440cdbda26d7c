import { join, relative } from 'node:path';
import { type EarlierFile, earlierFiles, type EarlierTree } from './earlier-files.js';
import type { Environment } from '../../process/run-tool.js';
import {
  type CallLimits,
  GitFailed,
  ShadowRepository,
  type LooseLimits,
  packLooseObjects,
  makeStateFolder,
  shadowFolder,
} from './shadow-repository.js';
import { IgnoredFilesWatch, sortFiles, surveyTree, stageFiles, unstage } from './stage-files.js';
import { KeptContents } from './kept-contents.js';
import { LargeFiles } from './large-files.js';
import { isRewriting, lineDigests } from './line-digests.js';
import { ownFilesIn, type PathBytes, shownFrom, findWorkTree, type WorkTree } from './work-tree.js';
import { type Restored, type RestoreRefused, type RestoreRequest, restoreTree } from './restore-tree.js';
import { RunCommits } from './snapshot-store.js';
import { seedObjects, UserGit } from './user-git.js';
import { StatusFingerprint } from './status-fingerprint.js';
import { NO_CHANGES, parseTreeChanges, type TreeChanges, type TreeSnapshot } from './tree-changes.js';
import { type FileCounts, fileLimit, tooManyText } from './tree-size.js';

export interface TrackedRun {
  readonly workingDir: string;
  readonly runId: string;
  readonly environment: Environment;
}

export interface TrackerLimits extends FileCounts {
  /** Of a larger file the size, time and inode are kept instead of the content. */
  readonly fileBytes: number;
  /** For one snapshot, the first included, or one comparison. */
  readonly timeoutMs: number;
}

/** From so many new files on it pays to copy the user's objects first. */
const WORTH_SEEDING = 1000;

/** Up to so many files are compared with the last snapshot while the next is still being written. */
const FEW_FILES = 1000;
/** Up to so many line by line. */
const FEW_TO_READ = 200;

const SNAPSHOTS_PER_PACKING = 10;

const CLOCK_LAG_MS = 50;

const COMPARED = ['--raw', '--numstat', '-z', '--no-renames', '--no-textconv', '--no-ext-diff'];
/** What is larger is compared like a binary file. */
const COMPARING = ['-c', 'core.bigFileThreshold=4m', '-c', 'core.quotePath=false'];

const LINES = ['-p', '--no-renames', '--no-textconv', '--no-ext-diff', '--no-color'];
const COMPARING_LINES = ['-c', 'core.bigFileThreshold=512k', '-c', 'core.quotePath=false'];

/** In what two snapshots differ. */
export interface ChangedLines {
  /** Digests of the changed lines. */
  readonly lines: readonly string[];
  /** All that changed are lines that were not there at the start of the run: others are in their place. */
  readonly rewrites?: true;
}

/** How git compares two trees. */
interface Compared {
  readonly output: Buffer;
  /** The lines in which they differ. */
  readonly patch?: Buffer | undefined;
}

/** The tree has more files than are tracked. */
export class TooManyFiles extends Error {}

interface Differences {
  readonly changed: readonly PathBytes[];
  readonly removed: readonly PathBytes[];
  /** The index differs from the last snapshot already. */
  readonly isStaged: boolean;
  readonly warnings: readonly string[];
}

/** Follows one work tree with the index of its shadow repository. */
export class SnapshotTaker {
  readonly #tree: WorkTree;
  readonly #shadow: ShadowRepository;
  readonly #user: UserGit;
  readonly #largeFiles: LargeFiles;
  readonly #ignored: IgnoredFilesWatch;
  readonly #commits: RunCommits;
  readonly #fingerprint: StatusFingerprint;
  readonly #limits: TrackerLimits;
  /** Of the last snapshot; undefined as long as the index may hold anything. */
  #lastTree: string | undefined;
  /** What git said of the last two snapshots. */
  #lastStep: ({ readonly before: string; readonly after: string } & Compared) | undefined;
  #knowsUser = false;
  /** Snapshots since someone looked for what could be packed. */
  #sincePacking = 0;

  constructor({ workingDir, runId, environment }: TrackedRun, limits: TrackerLimits) {
    this.#tree = findWorkTree(workingDir);
    const stateFolder = makeStateFolder(environment);
    const folder = shadowFolder(stateFolder, this.#tree.top);
    const ownFiles = ownFilesIn(this.#tree, stateFolder);
    this.#shadow = new ShadowRepository({ folder, tree: this.#tree, ownFiles, environment });
    this.#user = new UserGit(this.#tree, environment);
    this.#largeFiles = new LargeFiles(this.#shadow, limits.fileBytes);
    this.#ignored = new IgnoredFilesWatch(this.#shadow, this.#user);
    this.#commits = new RunCommits(this.#shadow, runId);
    this.#fingerprint = new StatusFingerprint(this.#shadow, this.#user);
    this.#limits = limits;
  }

  async snapshot(label: string, signal: AbortSignal | undefined): Promise<TreeSnapshot> {
    const limits = this.#callLimits(signal);
    // File systems tell the time by a slower clock.
    const startedAt = new Date(Date.now() - CLOCK_LAG_MS);
    try {
      return await this.#take(label, limits);
    } catch (error) {
      this.#lastTree = undefined;
      if (!(error instanceof GitFailed) || !error.isDamage) throw error;
      // A damaged index or a lost object: again from the files alone.
      this.#goCold();
      return await this.#take(label, limits);
    } finally {
      this.#shadow.distrustSince(startedAt);
    }
  }

  /** For a tree that is too large for snapshots. Throws GitFailed. */
  async fingerprint(signal: AbortSignal | undefined): Promise<string> {
    const limits = this.#callLimits(signal);
    await this.#prepare(limits);
    return this.#fingerprint.take(limits);
  }

  async restore(request: RestoreRequest): Promise<Restored | RestoreRefused> {
    const restorer = {
      shadow: this.#shadow,
      largeFiles: this.#largeFiles,
      snapshot: (label: string) => this.snapshot(label, undefined),
    };
    await this.#prepare(this.#callLimits(undefined));
    return restoreTree(restorer, request, this.#callLimits(undefined));
  }

  async changes(before: string, after: string): Promise<TreeChanges> {
    if (before === after) return NO_CHANGES;
    const step = this.#lastStep;
    if (step?.before === before && step.after === after) return parseTreeChanges(step.output, this.#folder);
    const args = [...COMPARING, 'diff-tree', '-r', ...COMPARED, before, after, '--'];
    const { stdout } = await this.#shadow.git(args, this.#callLimits(undefined)).catch(withoutTree);
    return parseTreeChanges(stdout, this.#folder);
  }

  /** The lines in which two snapshots differ, compared with what there was at the start of the run. */
  async changedLines(before: string, after: string, start: string | undefined): Promise<ChangedLines> {
    const step = this.#lastStep;
    const known = step?.before === before && step.after === after ? step.patch : undefined;
    const patch = known ?? (await this.patch(before, after));
    // A start that is gone leaves nothing of which it is known that the run has written it.
    const nothing = Buffer.alloc(0);
    const sinceStart = async () =>
      start === undefined ? nothing : await this.patch(start, before).catch(() => nothing);
    const rewrites = await isRewriting(patch, sinceStart);
    return { lines: lineDigests(patch), ...(rewrites ? { rewrites } : {}) };
  }

  /** The lines in which two snapshots differ. */
  async patch(before: string, after: string, contextLines = 0): Promise<Buffer> {
    const args = [...COMPARING_LINES, 'diff-tree', '-r', ...LINES, `-U${contextLines}`, before, after, '--'];
    return (await this.#shadow.git(args, this.#callLimits(undefined)).catch(withoutTree)).stdout;
  }

  async earlierFiles(trees: EarlierTree, isWanted: (path: string) => boolean): Promise<readonly EarlierFile[]> {
    const limits = this.#callLimits(undefined);
    return earlierFiles(this.#shadow, this.#folder, trees, isWanted, limits).catch(withoutTree);
  }

  get kept(): KeptContents {
    return new KeptContents(join(this.#shadow.folder, 'kept'));
  }

  /** Whether enough snapshots were taken to look for something to pack. */
  get isPackingDue(): boolean {
    return this.#sincePacking >= SNAPSHOTS_PER_PACKING;
  }

  /** Packs what has piled up. */
  async pack(most: LooseLimits, timeoutMs: number): Promise<void> {
    this.#sincePacking = 0;
    await packLooseObjects(this.#shadow, most, { endsAtMs: performance.now() + timeoutMs });
  }

  async #take(label: string, limits: CallLimits): Promise<TreeSnapshot> {
    await this.#prepare(limits);
    const { changed, removed, isStaged, warnings } = await this.#differences(limits);
    const isSame = changed.length + removed.length === 0 && !isStaged;
    if (isSame && this.#lastTree !== undefined) return { tree: this.#lastTree, incomplete: warnings };
    this.#refuseTooMany(changed);
    const incomplete = await this.#stage(changed, removed, limits);
    const count = changed.length + removed.length;
    const before = count <= FEW_FILES ? this.#lastTree : undefined;
    const compared = before === undefined ? undefined : this.#indexSince(before, count <= FEW_TO_READ, limits);
    const [tree, found] = await Promise.all([this.#writeTree(limits), compared]);
    if (tree !== this.#lastTree) await this.#commits.add(tree, label, limits);
    if (tree !== this.#lastTree) this.#sincePacking += 1;
    this.#lastTree = tree;
    this.#lastStep = before === undefined || found === undefined ? undefined : { before, after: tree, ...found };
    return { tree, incomplete: [...warnings, ...incomplete] };
  }

  async #writeTree(limits: CallLimits): Promise<string> {
    return (await this.#shadow.git(['write-tree'], limits)).stdout.toString().trim();
  }

  /** How the index differs from a tree, as a tree made of it would; undefined when no one can tell yet. */
  async #indexSince(before: string, withLines: boolean, limits: CallLimits): Promise<Compared | undefined> {
    try {
      const lines = withLines ? [...LINES, '-U0'] : [];
      const args = [...COMPARING, 'diff-index', '--cached', ...COMPARED, ...lines, before, '--'];
      const { stdout } = await this.#shadow.git(args, limits);
      // An empty field is where the patch begins.
      const end = withLines ? stdout.indexOf('\0\0') : -1;
      if (end === -1) return { output: stdout, patch: withLines ? Buffer.alloc(0) : undefined };
      return { output: stdout.subarray(0, end + 1), patch: stdout.subarray(end + 2) };
    } catch (error) {
      if (error instanceof GitFailed) return undefined;
      throw error;
    }
  }

  /** What is to be done so that the index holds what the tree does. */
  async #differences(limits: CallLimits): Promise<Differences> {
    // First of all: whatever writes the index before would make git believe that its memory is younger than it is.
    const survey = await surveyTree(this.#shadow, limits);
    const large = await this.#largeFiles.refresh(limits);
    const changed = [...survey.changed, ...large.shrunk];
    const removed = [...survey.removed, ...large.gone];
    const { tracked, leftOver, unknown } = await this.#ignored.look({ changed, removed }, limits);
    const isLeftOver = new Set(leftOver);
    return {
      changed: [...changed.filter((path) => !isLeftOver.has(path)), ...tracked],
      removed: [...removed, ...leftOver],
      isStaged: survey.isStaged || large.isStaged,
      warnings: [...survey.warnings, ...unknown],
    };
  }

  async #prepare(limits: CallLimits): Promise<void> {
    const [{ isNew, hasNewRules }, settings] = await Promise.all([
      this.#shadow.prepare(limits),
      this.#knowsUser ? undefined : this.#user.settings(limits),
    ]);
    if (isNew) this.#goCold();
    if (hasNewRules) this.#ignored.forget();
    if (settings === undefined) return;
    this.#shadow.seeAs(settings);
    this.#knowsUser = true;
  }

  /** Nothing is known any more but the files. */
  #goCold(): void {
    this.#lastTree = undefined;
    this.#shadow.goCold();
    this.#commits.forget();
    this.#largeFiles.forgetAll();
    this.#ignored.forget();
  }

  /** Returns what could not be captured. */
  async #stage(
    changed: readonly PathBytes[],
    removed: readonly PathBytes[],
    limits: CallLimits,
  ): Promise<readonly string[]> {
    const isWorthSeeding = this.#shadow.isCold && changed.length >= WORTH_SEEDING;
    const hasObjects = isWorthSeeding && (await seedObjects(this.#shadow, this.#user, limits));
    await unstage(this.#shadow, removed, limits);
    this.#largeFiles.forget(removed);
    const { ordinary, large, unfit } = await sortFiles(this.#tree.top, changed, this.#largeFiles);
    const { unreadable, warnings } = await stageFiles(this.#shadow, ordinary, { hasObjects, limits });
    await this.#largeFiles.keep(large, limits);
    return [...[...unfit, ...unreadable].map((path) => shownFrom(this.#folder, path)), ...warnings];
  }

  #refuseTooMany(changed: readonly PathBytes[]): void {
    const most = fileLimit(this.#tree, this.#limits);
    if (this.#shadow.entryCount() + changed.length > most) throw new TooManyFiles(tooManyText(this.#tree, most));
  }

  #callLimits(signal: AbortSignal | undefined): CallLimits {
    return { endsAtMs: performance.now() + this.#limits.timeoutMs, signal };
  }

  /** The run's folder below the top. */
  get #folder(): string {
    return relative(this.#tree.top, this.#tree.workingDir);
  }
}

/** What another machine has seen is not here. */
function withoutTree(error: unknown): never {
  const isGone = error instanceof GitFailed && /bad object/.test(error.stderr);
  throw isGone ? new GitFailed('their earlier content is not kept on this machine') : error;
}
