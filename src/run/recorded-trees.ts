import { ConfigError } from '../model/errors.js';
import { list } from '../model/figures.js';
import type { RunEvent } from '../model/run-event.js';

const MOST_NAMED = 10;

/** The snapshots that a record reports. */
export interface RecordedTrees {
  /** After each iteration; 0: before the first. */
  readonly afterIteration: ReadonlyMap<number, string>;
  /** Before each iteration. */
  readonly beforeIteration: ReadonlyMap<number, string>;
  /** When the agent's tests were green last, in each iteration in which they were. */
  readonly greenIn: ReadonlyMap<number, string>;
  /** How the tree was before each restore that is not undone, the last one last. */
  readonly beforeRestores: readonly string[];
  /** All of them, the newest first. */
  readonly newestFirst: readonly string[];
  /** The highest number of an iteration, with a snapshot or without. */
  readonly iterations: number;
}

export async function readTrees(events: AsyncIterable<RunEvent>): Promise<RecordedTrees> {
  const afterIteration = new Map<number, string>();
  const beforeIteration = new Map<number, string>();
  const greenIn = new Map<number, string>();
  const trees: string[] = [];
  const beforeRestores: string[] = [];
  let iterations = 0;
  for await (const event of events) {
    if (event.type === 'baseline-observed') keep(afterIteration, 0, event.observation.tree);
    if (event.type === 'green-seen') greenIn.set(event.iteration, event.tree);
    if (event.type === 'tree-restored' && event.error === undefined) {
      if (event.undoes === true) beforeRestores.pop();
      else beforeRestores.push(event.before);
    }
    if (event.type === 'iteration-ended') {
      iterations = Math.max(iterations, event.iteration);
      const { files } = event.observation;
      // Of several tries the first began where the iteration did.
      if (!beforeIteration.has(event.iteration)) keep(beforeIteration, event.iteration, files?.treeBefore);
      keep(afterIteration, event.iteration, files?.treeAfter);
    }
    trees.push(...treesOf(event));
  }
  const firstBefore = beforeIteration.get(1);
  if (!afterIteration.has(0)) keep(afterIteration, 0, firstBefore);
  const newestFirst = [...new Set(trees.toReversed())];
  return { afterIteration, beforeIteration, greenIn, beforeRestores, newestFirst, iterations };
}

/** The tree with which the agent's tests were green in an iteration. Throws ConfigError, with those there are, where there is none. */
export function greenTree(runId: string, { greenIn, iterations }: RecordedTrees, iteration: number): string {
  const tree = greenIn.get(iteration);
  if (tree !== undefined) return tree;
  const known = [...greenIn.keys()];
  if (known.length === 0)
    throw refused(`${runId} has no green snapshot: the agent's tools never showed all tests green`);
  const what = iteration > Math.max(iterations, ...known) ? `no iteration ${iteration}` : `no ${iteration}@green`;
  const others = known.map((number) => `${number}@green`);
  throw refused(`${runId} has ${what}; there is ${list(others, MOST_NAMED)}`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

function keep(trees: Map<number, string>, iteration: number, tree: string | undefined): void {
  if (tree !== undefined) trees.set(iteration, tree);
}

function treesOf(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'baseline-observed':
    case 'tests-accepted':
      return event.observation.tree === undefined ? [] : [event.observation.tree];
    case 'iteration-ended': {
      const { files } = event.observation;
      return files === undefined ? [] : [files.treeBefore, files.treeAfter];
    }
    case 'green-seen':
      return [event.tree];
    case 'tree-restored':
      return event.error === undefined ? [event.before, event.tree] : [];
    default:
      return [];
  }
}
