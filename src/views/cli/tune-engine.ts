import { setFlagsFromString } from 'node:v8';

/**
 * A loop does little at a time and much of it for the first time: code that is compiled simply at once is quicker than
 * code that is interpreted first.
 */
const COMPILED_AT_ONCE = '--always-sparkplug';

/**
 * For a process that drives runs. Thousands of attempts side by side, or an agent that prints gigabytes, leave much garbage
 * and little else. By default the heap would grow to several times what is needed; the machine's memory is for what is run.
 */
export function tuneEngine(): void {
  for (const flag of [
    COMPILED_AT_ONCE,
    '--semi-space-growth-factor=1',
    '--max-semi-space-size=4',
    '--heap-growing-percent=20',
  ]) {
    setFlagsFromString(flag);
  }
}
