import { hasEnded } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { nextCommands, nextSteps } from '../words/next-steps.js';
import { placeFlag } from './run-folder.js';
import type { Surroundings } from './surroundings.js';

/** The commands that make sense now, whatever folder they are run from. */
export function nextCommandsFor(context: Surroundings): (runId: string, state: RunState) => readonly string[] {
  return (runId, state) => {
    const place = placeFlag(state.spec?.workingDir);
    return hasEnded(state)
      ? nextSteps(runId, state, context, place)
      : nextCommands(runId, state, true, context.now(), place);
  };
}
