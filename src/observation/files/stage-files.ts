import { accessSync, constants } from 'node:fs';
import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import { statOf } from './large-files.js';
import { fileAt, joinPaths, type PathBytes } from './work-tree.js';
import { linesOf } from './survey-tree.js';

/** From so many files on, their objects go into packs instead of a file each. */
const MANY_FILES = 500;
/** Git compares every object of a pack in the making with all others of it. */
const FILES_PER_PACK = 5000;

export interface Staged {
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
