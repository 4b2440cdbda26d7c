import { plural } from '../../model/figures.js';
import type { Terminal } from './terminal.js';

const MOST_WAITING_BYTES = 1024 * 1024;

/** Lines for a reader who may be slow: those that would have to wait in memory are left out, and counted. */
export function lossyLines(terminal: Terminal): { readonly say: (line: string) => void; readonly flush: () => void } {
  let missed = 0;
  const flush = () => {
    if (missed > 0) terminal.say(`[${plural(missed, 'line')} not shown]`);
    missed = 0;
  };
  return {
    say(line) {
      if ((terminal.outlet?.backlogBytes() ?? 0) > MOST_WAITING_BYTES) {
        missed += 1;
        return;
      }
      flush();
      terminal.say(line);
    },
    flush,
  };
}
