import type { RunContext } from '../iteration/run-context.js';
import { list } from '../model/figures.js';
import type { StopClass } from '../model/stop-class.js';
import { bestToKeep } from '../stop/goal-figures.js';

/**
 * Restores the files of the best result, with `keep_best`, when a run ends by a limit or gives up. A run that reached its goal
 * keeps the files that were verified. One that was stopped, rejected, or needs a person is left as it is: it may be resumed.
 * How the files were is in a snapshot, on record before anything is changed. Never rejects for the sake of files.
 */
export async function keepBest(
  { tree, journal: { state }, record, checkRecord }: RunContext,
  stopClass: StopClass | undefined,
): Promise<void> {
  const best = bestToKeep(state);
  if (best === undefined || (stopClass !== 'failure' && stopClass !== 'limit')) return;
  const { iteration } = best;
  const ended = state.recent.at(-1)?.iteration;
  if (ended === undefined || ended === iteration) return;
  let checkpoint = state.trees.at(-1) ?? '';
  const refuse = (error: string) =>
    record({ type: 'tree-restored', tree: best.tree ?? '', before: checkpoint, iteration, isBest: true, error });
  if (best.tree === undefined || tree === undefined) return refuse('there is no snapshot of these files');
  const target = best.tree;
  const request = {
    tree: target,
    recorded: [target, ...state.trees],
    onCheckpoint(before: string) {
      checkpoint = before;
      record({ type: 'tree-restored', tree: target, before, iteration, isBest: true });
      checkRecord();
    },
  };
  const outcome = await tree.history.restore({ ...request, force: false });
  // What a snapshot holds can be brought back: also what a command, or a person, wrote after the last iteration.
  const isSafe = 'unsaved' in outcome && outcome.unkept.length === 0;
  const restored = isSafe ? await tree.history.restore({ ...request, force: true }) : outcome;
  tree.disturb();
  if ('error' in restored) return refuse(restored.error);
  if ('unsaved' in restored) return refuse(`${list(restored.unkept)} would be replaced, and is in no snapshot`);
  const others = [...restored.missing, ...restored.notKept, ...restored.changed];
  if (others.length > 0) refuse(`all files but ${list(others)}, which could not be restored`);
}
