import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../process/run-tool.js';
import { type CallLimits, GitFailed } from './git-tool.js';
import { ownFilesIn } from './own-files.js';
import { refOfRun } from './run-commits.js';
import { ShadowRepository } from './shadow-repository.js';
import { findStateFolder, shadowFolder } from './state-folder.js';
import { findWorkTree } from './work-tree.js';

const TIMEOUT_MS = 10 * 60_000;
/** While a run takes snapshots, what is younger may belong to one that is not finished. */
const YOUNGEST = '1.hour.ago';

const LARGE_STORE_BYTES = 1e9;

/** What to do about a store of this size; undefined when it is small. */
export function storeAdvice(bytes: number | undefined): string | undefined {
  return bytes === undefined || bytes < LARGE_STORE_BYTES
    ? undefined
    : 'pawl prune --keep 30d removes old runs and their snapshots';
}

/** What all snapshots of a folder take on disk; undefined when it cannot be told. */
export function storeBytes(workingDir: string, environment: Environment): number | undefined {
  try {
    const shadow = shadowOf(workingDir, environment);
    return shadow === undefined ? 0 : bytesBelow(join(shadow.folder, 'objects'));
  } catch {
    return undefined;
  }
}

/** What of that is for these runs, with the snapshot that the next one is compared with. */
export async function snapshotBytes(
  workingDir: string,
  runIds: readonly string[],
  environment: Environment,
): Promise<number> {
  const shadow = shadowOf(workingDir, environment);
  if (shadow === undefined) return 0;
  const limits = { endsAtMs: performance.now() + TIMEOUT_MS };
  const { stdout } = await shadow.git(['for-each-ref', '--format=%(refname)', 'refs/runs'], limits);
  const known = new Set(stdout.toString().split('\n'));
  const refs = runIds.map(refOfRun).filter((ref) => known.has(ref));
  const args = ['rev-list', '--objects', '--disk-usage', '--indexed-objects', '--ignore-missing', '--stdin'];
  const input = [...refs, 'HEAD^{tree}'].map((ref) => `${ref}\n`).join('');
  const usage = await shadow.git(args, limits, { input });
  return Number(usage.stdout.toString());
}

/** Forgets the snapshots of runs and frees the room that nothing else needs. Throws GitFailed. */
export async function pruneSnapshots(
  workingDir: string,
  runIds: readonly string[],
  { environment, isLive }: { readonly environment: Environment; readonly isLive: boolean },
): Promise<void> {
  const shadow = shadowOf(workingDir, environment);
  if (shadow === undefined) return;
  const limits = { endsAtMs: performance.now() + TIMEOUT_MS };
  const input = runIds.map((runId) => `delete ${refOfRun(runId)}\0\0`).join('');
  await shadow.git(['update-ref', '-z', '--stdin'], limits, { input });
  // HEAD would keep all snapshots of the run that was the last.
  if (!isLive) await forgetHistory(shadow, limits);
  const expiry = isLive ? YOUNGEST : 'now';
  await shadow.git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${expiry}`], limits);
  await shadow.git(['prune', `--expire=${expiry}`], limits);
}

/** Leaves HEAD at a commit of the same tree that has no commit before it. */
async function forgetHistory(shadow: ShadowRepository, limits: CallLimits): Promise<void> {
  try {
    const { stdout } = await shadow.git(['commit-tree', '-m', 'the last snapshot', 'HEAD^{tree}'], limits);
    shadow.setRef('HEAD', stdout.toString().trim());
  } catch (error) {
    // There is no snapshot yet.
    if (!(error instanceof GitFailed) || !error.isDamage) throw error;
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesBelow(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
  }, 0);
}

/** Undefined when nothing was ever kept. */
function shadowOf(workingDir: string, environment: Environment): ShadowRepository | undefined {
  const stateFolder = findStateFolder(environment);
  if (stateFolder === undefined) return undefined;
  const tree = findWorkTree(workingDir);
  const folder = shadowFolder(stateFolder, tree.top);
  if (!existsSync(folder)) return undefined;
  return new ShadowRepository({ folder, tree, ownFiles: ownFilesIn(tree, stateFolder), environment });
}
