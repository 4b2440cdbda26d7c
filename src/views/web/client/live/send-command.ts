import type { CommandAnswer, CommandRequest } from '../../wire/api.js';
import { problemFrom, request } from './request.js';
import { say } from './toasts.js';

/** Asks something of a run and says what comes of it. True when it was taken. */
export async function sendCommand(runId: string, command: CommandRequest): Promise<boolean> {
  try {
    const { effect } = await request<CommandAnswer>(`/api/runs/${encodeURIComponent(runId)}/commands`, command);
    say(`The run ${effect}`);
    return true;
  } catch (thrown) {
    say(problemFrom(thrown).message, { isProblem: true });
    return false;
  }
}
