import type { Environment } from '../../../journal/run-places.js';
import { ConfigError } from '../../../model/errors.js';
import { diffTrees } from '../../../observation/files/diff-trees.js';
import { readTrees } from '../../../run/recorded-trees.js';
import { treesAsked } from '../../../app/compared-trees.js';
import type { IterationDiff } from '../wire/api.js';
import type { FoldedRun } from './folded-run.js';
import type { IndexedRun } from './run-index.js';

const LARGEST_PATCH_BYTES = 1024 * 1024;

/** What an iteration changed, or why that is not known. */
export async function iterationDiff(
  run: IndexedRun,
  folded: FoldedRun,
  iteration: number,
  environment: Environment,
): Promise<IterationDiff> {
  try {
    const pair = treesAsked(run, await readTrees(folded.eventsAfter(0)), { iteration });
    const request = { workingDir: run.workingDir, environment, ...pair, form: 'patch' } as const;
    const { output, leftOut } = await diffTrees(request);
    return { ...cut(output), leftOut };
  } catch (error) {
    const none = error instanceof ConfigError ? error.message : 'its snapshots can no longer be read';
    return { patch: '', isCut: false, leftOut: [], none };
  }
}

/** Whole lines only. */
function cut(output: Buffer): Pick<IterationDiff, 'patch' | 'isCut'> {
  if (output.length <= LARGEST_PATCH_BYTES) return { patch: output.toString('utf8'), isCut: false };
  const end = output.lastIndexOf('\n', LARGEST_PATCH_BYTES - 1) + 1;
  return { patch: output.toString('utf8', 0, end), isCut: true };
}
