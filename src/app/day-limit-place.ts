import { userFilePath } from '../config/config-file.js';
import { shownPath } from './shown-path.js';
import type { Surroundings } from './surroundings.js';

/** The file in which the user sets the limit over all runs of a day. */
export function dayLimitPlace(context: Surroundings): string {
  return shownPath(userFilePath(context.environment) ?? 'pawl/config.yaml', context.cwd);
}
