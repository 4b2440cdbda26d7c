import { PawlError } from '../../model/errors.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { NOT_LIVE, sendCommand } from '../../run/control-client.js';
import { findLiveRun } from './find-live-run.js';

/** Sends a command to the run of another process, by whichever of its sockets answers. Rejects with why it is not taken. */
export async function sendToRun(workingDir: string, runId: string, command: LoopCommand, by: string): Promise<void> {
  const { sockets } = await findLiveRun(workingDir, runId, '');
  for (const socket of sockets) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the first that answers
      await sendCommand({ socket, runId, command, by });
      return;
    } catch (error) {
      if (!(error instanceof PawlError) || error.message !== NOT_LIVE) throw error;
    }
  }
  throw new PawlError('InvalidState', NOT_LIVE);
}
