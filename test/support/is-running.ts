import { hasExited } from '../../src/model/proc-stat.js';
import { statOf } from '../../src/process/process-table.js';

/** A process that is dead and not yet buried by whoever has to answers signals, too: it does not run. */
export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && !hasExited(stat);
}
