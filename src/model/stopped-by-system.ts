import type { RunState } from './run-state.js';
import type { StopClass } from './stop-class.js';

/** Who asks for a stop when the process gets this signal, as every process does when a machine goes down. */
export const SYSTEM = 'SIGTERM';

/** A run that was ended and that nobody has decided to end: it goes on as after a loss of power. */
export function isStoppedBySystem({
  ended,
  operatorStop,
}: {
  readonly ended?: { readonly class?: StopClass | undefined } | undefined;
  readonly operatorStop?: RunState['operatorStop'];
}): boolean {
  return ended?.class === 'operator' && operatorStop?.by === SYSTEM;
}
