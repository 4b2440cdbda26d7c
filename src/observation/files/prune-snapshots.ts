import { existsSync } from 'node:fs';
import type { Environment } from './git-tool.js';
import { ownFilesIn } from './own-files.js';
import { refOfRun } from './run-commits.js';
import { ShadowRepository } from './shadow-repository.js';
import { makeStateFolder, shadowFolder } from './state-folder.js';
import { findWorkTree } from './work-tree.js';

const TIMEOUT_MS = 10 * 60_000;
/** What is younger may belong to a snapshot that is being taken. */
const YOUNGEST = '1.hour.ago';

/** The folder that holds the snapshots of a work tree; undefined when there are none. */
export function snapshotFolder(workingDir: string, environment: Environment): string | undefined {
  const folder = shadowFolder(makeStateFolder(environment), findWorkTree(workingDir).top);
  return existsSync(folder) ? folder : undefined;
}

/** Forgets the snapshots of runs and frees the room that nothing else needs. Throws GitFailed. */
export async function pruneSnapshots(
  workingDir: string,
  runIds: readonly string[],
  environment: Environment,
): Promise<void> {
  const folder = snapshotFolder(workingDir, environment);
  if (folder === undefined) return;
  const tree = findWorkTree(workingDir);
  const ownFiles = ownFilesIn(tree.top, makeStateFolder(environment));
  const shadow = new ShadowRepository({ folder, tree, ownFiles, environment });
  const limits = { endsAtMs: performance.now() + TIMEOUT_MS };
  const input = runIds.map((runId) => `delete ${refOfRun(runId)}\0\0`).join('');
  await shadow.git(['update-ref', '-z', '--stdin'], limits, { input });
  await shadow.git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${YOUNGEST}`], limits);
  await shadow.git(['prune', `--expire=${YOUNGEST}`], limits);
}
