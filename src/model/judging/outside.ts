import { clip } from '../field-rules.js';
import type { ConditionWarning, PlannedRun } from './condition-definition.js';

/** Warns of a file that is not in the working directory. */
export function outside(
  { type, path }: { readonly type: string; readonly path: string },
  { isInWorkingDir }: Pick<PlannedRun, 'isInWorkingDir'>,
): ConditionWarning | undefined {
  if (isInWorkingDir(path)) return undefined;
  const shown = JSON.stringify(clip(path));
  return { message: `${type} can never be met: ${shown} leads out of the working directory; name a file in it` };
}
