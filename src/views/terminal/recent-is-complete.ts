import type { RunState } from '../../model/run-state.js';

/** Whether the fold still holds every iteration of the run, from the first try of the first one. */
export function recentIsComplete({ recent }: RunState): boolean {
  const [first] = recent;
  return first === undefined || (first.iteration === 1 && first.try === 1);
}
