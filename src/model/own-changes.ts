import { hasWork } from './file-kind.js';
import type { Observation } from './observation.js';
import { isTreeChanged } from './progress.js';
import type { OwnChanges, RunState } from './run-state.js';
import { testsRan } from './test-results.js';

/** What an iteration adds. Notes, logs and lock files are not work. */
export function ownChangesAfter(before: OwnChanges | undefined, observation: Observation): OwnChanges | undefined {
  const isChanged = isTreeChanged(observation);
  const found: OwnChanges = {
    ...(isChanged === undefined ? { unknown: true } : {}),
    ...(isChanged === true && hasWork(observation.files?.kinds) ? { inTree: true } : {}),
    ...(changedElsewhere(observation) ? { elsewhere: true } : {}),
  };
  return Object.keys(found).length === 0 ? before : { ...before, ...found };
}

/** Whether the agent has changed content that counts since the start. Files that only the tests or a person changed do not. */
export function hasOwnChanges({ baseline, latest, trees, ownChanges }: RunState): boolean | undefined {
  const [before, now] = [baseline?.tests, latest.observation.tests];
  if (before !== undefined && now !== undefined && testsRan(before) !== testsRan(now)) return true;
  if (ownChanges?.elsewhere === true) return true;
  const start = baseline?.tree ?? baseline?.fingerprint?.after;
  if (ownChanges?.inTree === true) return start === undefined || trees.at(-1) !== start;
  return ownChanges?.unknown === true ? undefined : false;
}

/** Under `progress.also`, or outside the working directory. */
export function changedElsewhere({ also, outsideLines = [] }: Observation): boolean {
  return outsideLines.length > 0 || (also !== undefined && also.before !== also.after);
}
