import { isTerminal } from '../../model/loop-state.js';
import type { RunState } from '../../model/run-state.js';
import { nextCommands, nextSteps } from '../terminal/next-steps.js';
import { placeFlag } from './drive-run.js';

/** The commands that make sense now, for somebody who stands anywhere. */
export function nextCommandsFor(runId: string, state: RunState): readonly string[] {
  const place = placeFlag(state.spec?.workingDir);
  return isTerminal(state.status) ? nextSteps(runId, state, place) : nextCommands(runId, state, true, place);
}
