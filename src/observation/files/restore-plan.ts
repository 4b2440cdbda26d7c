import { mkdirSync, mkdtempSync, rmSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type LargeFiles, statOf } from './large-files.js';
import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import { StagedFiles } from './staged-files.js';
import type { TreeSnapshot } from './tree-changes.js';
import { entriesNamed, type EntryChange, entryChanges, everyPath } from './tree-entries.js';
import { joinPaths, type PathBytes, shownFrom, splitPaths, fileAt } from './work-tree.js';

/** What it takes to turn the tree as it is into a snapshot. */
export interface RestorePlan {
  readonly writes: readonly PathBytes[];
  readonly deletes: readonly PathBytes[];
  /** To be deleted, but for the rules of then, by which they may have been there: they stay. */
  readonly ignored: readonly PathBytes[];
  /** Their content was never kept: they stay as they are. */
  readonly notKept: readonly PathBytes[];
  /** Of those, the ones that are gone: they cannot be brought back. */
  readonly missing: readonly PathBytes[];
  /** Work that no run has recorded: only the checkpoint before the restore holds it. */
  readonly unsaved: readonly PathBytes[];
  /** What not even that holds: ignored files in the way, files too large to be kept, unreadable ones. */
  readonly unkept: readonly PathBytes[];
}

interface PlanRequest {
  readonly shadow: ShadowRepository;
  readonly largeFiles: LargeFiles;
  /** The tree to go back to. */
  readonly tree: string;
  /** Trees that runs have recorded. */
  readonly recorded: readonly string[];
  readonly now: TreeSnapshot;
  readonly changes: readonly EntryChange[];
  /** The files to write. */
  readonly staged: StagedFiles;
  readonly limits: CallLimits;
}

export async function planRestore(request: PlanRequest): Promise<RestorePlan> {
  const { shadow, largeFiles, tree, recorded, now, changes, staged, limits } = request;
  const gone = changes.filter(({ after }) => after === undefined).map(({ path }) => path);
  const ignoredBefore = new Set(await ignoredThen(shadow, tree, gone, limits));
  const unrecorded = await unrecordedPaths(shadow, now.tree, recorded, limits);
  const unreadable = new Set(now.incomplete);
  const notKept = changes.filter(({ path, after }) => after !== undefined && staged.isStandIn(path));
  const stays = new Set(notKept);
  const isLeft = ({ path, after }: EntryChange) => after === undefined && ignoredBefore.has(path);
  const wanted = changes.filter((change) => !stays.has(change) && !isLeft(change));
  const replaced = wanted.filter(({ before }) => before !== undefined).map(({ path }) => path);
  const known = new Set(replaced);
  const writes = wanted.filter(({ after }) => after !== undefined).map(({ path }) => path);
  const inTheWay = writes.flatMap((path) => obstacleFor(shadow.tree.top, path, known) ?? []);
  const isUnreadable = (path: PathBytes) => unreadable.has(shownFrom(folderOf(shadow), path));
  const lost = replaced.filter((path) => largeFiles.includes(path) || isUnreadable(path));
  const unkept = new Set([...inTheWay, ...lost]);
  return {
    writes,
    deletes: wanted.filter(({ after }) => after === undefined).map(({ path }) => path),
    ignored: changes.filter(isLeft).map(({ path }) => path),
    notKept: notKept.map(({ path }) => path),
    missing: notKept.filter(({ before }) => before === undefined).map(({ path }) => path),
    unsaved: replaced.filter((path) => !unkept.has(path) && unrecorded.has(path)),
    unkept: [...unkept],
  };
}

/** The run's folder below the top. */
export function folderOf({ tree }: ShadowRepository): string {
  return relative(tree.top, tree.workingDir);
}

/** Always ignored, so that git has something to answer. */
const OWN_FILE = '.ralph/x';

/** The paths that the rules of a snapshot ignore: they may have existed then without a record. */
async function ignoredThen(
  shadow: ShadowRepository,
  tree: string,
  paths: readonly PathBytes[],
  limits: CallLimits,
): Promise<readonly PathBytes[]> {
  if (paths.length === 0) return [];
  const folder = mkdtempSync(join(shadow.folder, 'rules-'));
  try {
    // A folder with nothing but the rules.
    const rules = new StagedFiles(shadow, folder);
    await rules.fill(await entriesNamed(shadow, tree, '.gitignore', limits), limits);
    mkdirSync(rules.files, { recursive: true });
    const input = joinPaths([OWN_FILE, ...paths]);
    const variables = { GIT_WORK_TREE: rules.files };
    const args = ['-C', rules.files, 'check-ignore', '--no-index', '-z', '--stdin'];
    const { stdout } = await shadow.git(args, limits, { input, variables });
    return splitPaths(stdout).filter((path) => path !== OWN_FILE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Paths whose present content is in none of the recorded trees. */
async function unrecordedPaths(
  shadow: ShadowRepository,
  now: string,
  recorded: readonly string[],
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes>> {
  let left: ReadonlySet<PathBytes> | undefined;
  for (const tree of recorded) {
    // oxlint-disable-next-line no-await-in-loop -- mostly the first one explains everything
    const differing = await differingPaths(shadow, tree, now, limits);
    const before: ReadonlySet<PathBytes> | undefined = left;
    if (differing !== undefined) left = before === undefined ? differing : intersection(before, differing);
    if (left?.size === 0) break;
  }
  return left ?? (await everyPath(shadow, now, limits));
}

/** Undefined when the tree no longer exists. */
async function differingPaths(
  shadow: ShadowRepository,
  tree: string,
  now: string,
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes> | undefined> {
  try {
    return new Set((await entryChanges(shadow, tree, now, limits)).map(({ path }) => path));
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return undefined;
    throw error;
  }
}

function intersection(one: ReadonlySet<PathBytes>, other: ReadonlySet<PathBytes>): ReadonlySet<PathBytes> {
  return new Set([...one].filter((path) => other.has(path)));
}

/**
 * What stands where a file is to be written and is in no snapshot: an ignored file, a link, a folder that holds more than
 * is known. Undefined when nothing does. `known` are the paths that a snapshot holds and that make way.
 */
function obstacleFor(top: string, path: PathBytes, known: ReadonlySet<PathBytes>): PathBytes | undefined {
  for (const folder of foldersOf(path)) {
    const stat = statOf(fileAt(top, folder));
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return known.has(folder) ? undefined : folder;
  }
  const stat = statOf(fileAt(top, path));
  if (stat === undefined || known.has(path)) return undefined;
  return stat.isDirectory() && filesBelow(top, path).every((file) => known.has(file)) ? undefined : path;
}

/** The folders above a path, the outermost first. */
export function foldersOf(path: PathBytes): readonly PathBytes[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** Everything below a folder that is no folder. */
function filesBelow(top: string, folder: PathBytes): readonly PathBytes[] {
  return readdirSync(fileAt(top, folder), { withFileTypes: true, encoding: 'buffer' }).flatMap((entry) => {
    const path = `${folder}/${entry.name.toString('latin1')}`;
    return entry.isDirectory() ? filesBelow(top, path) : [path];
  });
}
