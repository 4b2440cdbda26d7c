import { setFlagsFromString } from 'node:v8';

/**
 * Thousands of attempts side by side, or an agent that prints gigabytes, leave much garbage and little else. By default the
 * heap would grow to several times what is needed; the machine's memory is for what is run.
 */
export function spareMemory(): void {
  for (const flag of ['--semi-space-growth-factor=1', '--max-semi-space-size=4', '--heap-growing-percent=20']) {
    setFlagsFromString(flag);
  }
}
