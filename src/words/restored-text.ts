import type { EventBodies } from '../model/run-event.js';

/** What was done to the files between two iterations. */
export function restoredText({
  iteration,
  greenIn,
  tree,
  undoes,
  isBest,
  error,
}: EventBodies['tree-restored']): string {
  if (undoes === true) return 'the last restore was undone';
  const best = isBest === true ? ' (the best result)' : '';
  if (error !== undefined) return `files not restored to how they were ${whenText(iteration ?? 0)}${best}: ${error}`;
  if (greenIn !== undefined) return `files restored to how they were ${greenWhenText(greenIn)}`;
  return `files restored to how they were ${iteration === undefined ? `at ${tree.slice(0, 10)}` : whenText(iteration)}${best}`;
}

/** The moment of a snapshot that was taken while the agent worked. */
export function greenWhenText(iteration: number): string {
  return `when the tests were green in iteration ${iteration}`;
}

/** The end of an iteration, or before the first. */
export function whenText(iteration: number): string {
  return iteration === 0 ? 'before the first iteration' : `after iteration ${iteration}`;
}
