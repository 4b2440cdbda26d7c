import { existsSync } from 'node:fs';
import type { Environment } from './git-tool.js';
import { ownFilesIn } from './own-files.js';
import { refOfRun } from './run-commits.js';
import { ShadowRepository } from './shadow-repository.js';
import { makeStateFolder, shadowFolder } from './state-folder.js';
import { findWorkTree } from './work-tree.js';

const TIMEOUT_MS = 10 * 60_000;
/** While a run takes snapshots, what is younger may belong to one that is not finished. */
const YOUNGEST = '1.hour.ago';

/** What the snapshots of these runs take on disk, with those that the next one is compared with. */
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
  const input = [...refs, 'HEAD'].map((ref) => `${ref}\n`).join('');
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
  const expiry = isLive ? YOUNGEST : 'now';
  await shadow.git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${expiry}`], limits);
  await shadow.git(['prune', `--expire=${expiry}`], limits);
}

/** Undefined when nothing was ever kept. */
function shadowOf(workingDir: string, environment: Environment): ShadowRepository | undefined {
  const stateFolder = makeStateFolder(environment);
  const tree = findWorkTree(workingDir);
  const folder = shadowFolder(stateFolder, tree.top);
  if (!existsSync(folder)) return undefined;
  return new ShadowRepository({ folder, tree, ownFiles: ownFilesIn(tree.top, stateFolder), environment });
}
