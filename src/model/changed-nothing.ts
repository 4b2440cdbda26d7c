import type { Observation } from './observation.js';
import { isTreeChanged } from './progress.js';

/** Whether an iteration changed nothing that counts as work. Undefined when it is not known. */
export function changedNothing(observation: Observation): boolean | undefined {
  const isChanged = isTreeChanged(observation);
  return isChanged === undefined ? undefined : !isChanged;
}
