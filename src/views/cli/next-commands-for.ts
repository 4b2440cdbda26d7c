import { hasEnded } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { nextCommands, nextSteps } from '../terminal/next-steps.js';
import { placeFlag } from './drive-run.js';
import type { CommandContext } from './command-context.js';

/** The commands that make sense now, for somebody who stands anywhere. */
export function nextCommandsFor(context: CommandContext): (runId: string, state: RunState) => readonly string[] {
  return (runId, state) => {
    const place = placeFlag(state.spec?.workingDir);
    return hasEnded(state)
      ? nextSteps(runId, state, context, place)
      : nextCommands(runId, state, true, context.now(), place);
  };
}
