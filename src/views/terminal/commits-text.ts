import type { RunState } from '../../model/run-state.js';
import { plural } from '../../model/figures.js';

/** What became of the work where it is to be committed; nothing where nothing was tried. */
export function commitsText({ commits }: Pick<RunState, 'commits'>): string | undefined {
  if (commits === undefined) return undefined;
  const { made, problem, isUnpushed } = commits;
  if (problem === undefined) return plural(made, 'commit');
  const unpushed = made === 0 ? 'the only one' : `${plural(made, 'commit')}, and the last one`;
  if (isUnpushed === true) return `${unpushed} is on no branch: ${problem}`;
  // A tree that is gone holds nothing.
  const where = /^the working tree .* is gone$/.test(problem) ? '' : '; the work is in the tree, not committed';
  return `${made === 0 ? 'none' : `${plural(made, 'commit')}, and the last one failed`}: ${problem}${where}`;
}
