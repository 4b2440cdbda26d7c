import type { RunState } from '../../../../model/run-state.js';

/** Nothing goes on before somebody says so: what is to come cannot be foretold. */
export function isHeld({ status, waiting }: RunState): boolean {
  return status === 'paused' || waiting?.for === 'approval' || waiting?.for === 'answer';
}
