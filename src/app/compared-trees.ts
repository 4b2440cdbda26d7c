import type { ListedRun } from '../journal/list-runs.js';
import { ConfigError } from '../model/errors.js';
import { plural } from '../model/figures.js';
import { greenTree, type RecordedTrees } from '../run/recorded-trees.js';
import { shortId } from '../words/short-id.js';

export interface TreePair {
  readonly before: string;
  readonly after: string;
}

export interface WantedDiff {
  /** Of one iteration; undefined: of the whole run. */
  readonly iteration?: number | undefined;
  /** Up to where the tests passed in that iteration. */
  readonly isGreen?: boolean | undefined;
}

/** The trees that a diff compares. Throws ConfigError when they are not known. */
export function treesAsked(
  run: Pick<ListedRun, 'runId'>,
  trees: RecordedTrees,
  { iteration, isGreen }: WantedDiff,
): TreePair {
  if (iteration === undefined) return wholeRun(run, trees);
  return isGreen === true ? upToGreen(run, trees, iteration) : treesOfIteration(run.runId, trees, iteration);
}

/** An iteration that has not ended began with what the one before left. */
function upToGreen({ runId }: Pick<ListedRun, 'runId'>, trees: RecordedTrees, iteration: number): TreePair {
  const after = greenTree(runId, trees, iteration);
  const before = trees.beforeIteration.get(iteration) ?? trees.afterIteration.get(iteration - 1);
  if (before === undefined) throw noSnapshots(runId, iteration);
  return { before, after };
}

function wholeRun({ runId }: Pick<ListedRun, 'runId'>, { afterIteration, iterations }: RecordedTrees): TreePair {
  const before = afterIteration.get(0);
  const after = [...afterIteration].filter(([iteration]) => iteration > 0).at(-1)?.[1];
  if (before !== undefined && after !== undefined) return { before, after };
  if (iterations === 0) throw refused(`${shortId(runId)} has not ended an iteration yet`);
  throw noSnapshots(runId);
}

/** What an iteration began and ended with. Throws ConfigError when that is not known. */
function treesOfIteration(runId: string, trees: RecordedTrees, iteration: number): TreePair {
  const before = trees.beforeIteration.get(iteration);
  const after = trees.afterIteration.get(iteration);
  if (before !== undefined && after !== undefined) return { before, after };
  if (iteration > trees.iterations)
    throw refused(`${shortId(runId)} has ended ${plural(trees.iterations, 'iteration')}`);
  throw noSnapshots(runId, iteration);
}

export function noTrees(runId: string): ConfigError {
  const id = shortId(runId);
  return refused(
    `${id} is a pipeline, which keeps no snapshots of the tree; pawl show ${id} ITEM has where an output is`,
  );
}

function noSnapshots(runId: string, iteration?: number): ConfigError {
  const what = iteration === undefined ? '' : ` of iteration ${iteration}`;
  return refused(`${shortId(runId)} has no snapshots${what}: its files were not tracked`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
