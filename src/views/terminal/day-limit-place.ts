import { userFilePath } from '../../config/user-file.js';
import { shownPath } from './shown-path.js';

/** The file in which the user sets the limit over all runs of a day. */
export function dayLimitPlace(): string {
  return shownPath(userFilePath(process.env) ?? 'pawl/config.yaml');
}
