import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, onDisk } from '../../journal/disk.js';
import { stateHome } from '../../journal/run-places.js';
import { ConfigError, FileSystemError } from '../../model/errors.js';
import type { Environment } from '../../process/run-tool.js';
import { type CallLimits, findStateFolder, GitFailed, shadowFolder, ShadowRepository } from './shadow-repository.js';
import { StagedFiles } from './staged-files.js';
import { everyEntry, type TreeEntry } from './tree-entries.js';
import { type PathBytes, shownFrom } from './work-tree.js';

const WRITING_MS = 10 * 60_000;

export interface WriteTreeRequest {
  /** The snapshot. */
  readonly tree: string;
  /** Where its run took place. The folder may be gone. */
  readonly workingDir: string;
  /** The path of a folder that is empty or not there. */
  readonly into: string;
  readonly environment: Environment;
  /** Ends it, and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
}

export interface WrittenTree {
  readonly files: number;
  /** Only the size and the time of these were kept. */
  readonly missing: readonly string[];
}

/** Writes a snapshot into another folder, all of it or nothing. Throws ConfigError when it is not there, or the folder is in use. */
export async function writeTree({
  tree,
  workingDir,
  into,
  environment,
  signal,
}: WriteTreeRequest): Promise<WrittenTree> {
  const limits = { endsAtMs: performance.now() + WRITING_MS, signal };
  const scratch = onDisk('make a folder in', dirname(into), () => {
    mkdirSync(dirname(into), { recursive: true });
    return mkdtempSync(join(realpathSync(dirname(into)), '.pawl-restore-'));
  });
  try {
    const shadow = await shadowWith(tree, { workingDir, scratch, environment, limits });
    if (shadow === undefined)
      throw refused(
        `the snapshot ${tree.slice(0, 10)} of ${workingDir} is not in ${join(stateHome(environment), 'pawl')}`,
      );
    const staged = new StagedFiles(shadow, join(scratch, 'staged'));
    const entries = await everyEntry(shadow, tree, limits);
    await staged.fill(byPath(entries), limits);
    mkdirSync(staged.files, { recursive: true });
    const missing = entries.flatMap(({ path }) => (staged.isStandIn(path) ? [path] : []));
    for (const path of missing) rmSync(staged.at(path));
    onDisk('write', into, () => place(staged.files, into));
    return { files: entries.length - missing.length, missing: missing.map((path) => shownFrom('', path)) };
  } catch (error) {
    // Such as a full disk, in the words of git.
    throw error instanceof GitFailed ? new FileSystemError('write', into, error) : error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function byPath(entries: Awaited<ReturnType<typeof everyEntry>>): ReadonlyMap<PathBytes, TreeEntry> {
  return new Map(entries.map(({ path, before }) => [path, before]));
}

function place(files: string, into: string): void {
  try {
    renameSync(files, into);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
    throw refused(`${JSON.stringify(into)} is not an empty folder; name one that is empty, or not there yet`);
  }
}

/** The repository of the work tree that the folder was in: the folder itself, or one above it. */
async function shadowWith(
  tree: string,
  at: {
    readonly workingDir: string;
    readonly scratch: string;
    readonly environment: Environment;
    readonly limits: CallLimits;
  },
): Promise<ShadowRepository | undefined> {
  const stateFolder = findStateFolder(at.environment);
  if (stateFolder === undefined) return undefined;
  for (let top = at.workingDir; ; top = dirname(top)) {
    const folder = shadowFolder(stateFolder, top);
    const shadow = new ShadowRepository({
      folder,
      tree: { top: at.scratch, workingDir: at.scratch },
      ownFiles: { includes: () => false, rules: [] },
      environment: at.environment,
    });
    // oxlint-disable-next-line no-await-in-loop -- the next one only if it is not this one
    if (existsSync(join(folder, 'HEAD')) && (await holds(shadow, tree, at.limits))) return shadow;
    if (top === dirname(top)) return undefined;
  }
}

async function holds(shadow: ShadowRepository, tree: string, limits: CallLimits): Promise<boolean> {
  try {
    await shadow.git(['cat-file', '-e', `${tree}^{tree}`], limits);
    return true;
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return false;
    throw error;
  }
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', place: '--into', message }]);
}
