import { isTerminal } from './loop-state.js';
import type { RunState } from './run-state.js';

/** It is decided that the run ends: no iteration follows, and what is left to do is to commit and to clean up. */
export function isEnding({ status, hook, verdict, open }: RunState): boolean {
  if (isTerminal(status)) return false;
  return hook === 'on_stop' || (verdict?.stop === true && open === undefined);
}
