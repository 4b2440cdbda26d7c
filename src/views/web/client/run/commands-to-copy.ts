import { hasEnded } from '../../../../model/phase.js';
import { shellWord } from '../../../cli/shell-word.js';
import { nextCommands, nextSteps } from '../../../terminal/next-steps.js';
import type { ViewedRun } from '../../wire/api.js';

/** What can be done in a terminal about a run that no process runs: the same as the terminal shows. */
export function commandsToCopy({ runId, view, workingDir }: ViewedRun): readonly string[] {
  const { state } = view;
  const place = ` --cwd ${shellWord(workingDir)}`;
  if (isOfFleet(workingDir)) return [`pawl show ${runId}${place}`];
  // The page may be open anywhere: no command relies on a directory.
  const nowhere = { cwd: '', now: Date.now };
  return hasEnded(state)
    ? nextSteps(runId, state, nowhere, place)
    : nextCommands(runId, state, false, Date.now(), place);
}

/** The record is a copy: only the fleet goes on with it. */
function isOfFleet(workingDir: string): boolean {
  return /\/pawl\/fleet-records\/[0-9a-f]{16}$/.test(workingDir);
}
