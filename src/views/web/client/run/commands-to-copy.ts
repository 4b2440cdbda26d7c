import { shellWord } from '../../../cli/shell-word.js';
import { nextSteps } from '../../../terminal/next-steps.js';
import type { ViewedRun } from '../../wire/api.js';

/** What can be done in a terminal about a run that nobody runs now. */
export function commandsToCopy({ runId, view, workingDir }: ViewedRun): readonly string[] {
  const place = ` --cwd ${shellWord(workingDir)}`;
  if (isOfFleet(workingDir)) return [`pawl show ${runId}${place}`];
  return nextSteps(runId, view.state, { environment: {}, cwd: '/', now: Date.now }, place);
}

/** The record is a copy: only the fleet goes on with it. */
function isOfFleet(workingDir: string): boolean {
  return /\/pawl\/fleet-records\/[0-9a-f]{16}$/.test(workingDir);
}
