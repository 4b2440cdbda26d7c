import { readFileSync } from 'node:fs';

/**
 * Whether this process may use its terminal: one in the background that changes the terminal's mode or reads from it is
 * stopped by the system. Where that cannot be told it is taken to be so.
 */
export function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return foregroundGroup === '-1' || group === foregroundGroup;
  } catch {
    return true;
  }
}
