import type { EventBodies } from '../../model/run-event.js';

/** What was done to the files between two iterations. */
export function restoredText({ iteration, tree, undoes }: EventBodies['tree-restored']): string {
  if (undoes === true) return 'the last restore was undone';
  return `files restored to how they were ${iteration === undefined ? `at ${tree.slice(0, 10)}` : whenText(iteration)}`;
}

/** The end of an iteration, or before the first. */
export function whenText(iteration: number): string {
  return iteration === 0 ? 'before the first iteration' : `after iteration ${iteration}`;
}
