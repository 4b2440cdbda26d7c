import type { AnyCondition, ConditionWarning, PlannedRun } from './condition-definition.js';

/** Warns of a condition that needs the changes of files, where these are not tracked. */
export function untracked(
  { type }: AnyCondition,
  { trackFileChanges }: Pick<PlannedRun, 'trackFileChanges'>,
): ConditionWarning | undefined {
  if (trackFileChanges) return undefined;
  return { message: `${type} can never be met: track_file_changes is false; set it to true` };
}
