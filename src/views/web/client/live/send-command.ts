import type { CommandAnswer, CommandRequest } from '../../wire/api.js';
import { takenSentence } from '../../../../words/taken-sentence.js';
import { problemFrom, request } from './request.js';
import { say } from './toasts.js';

/** Asks something of a run and says what comes of it. Gives what is wrong when it was not taken. */
export async function sendCommand(runId: string, command: CommandRequest): Promise<string | undefined> {
  try {
    const { effect } = await request<CommandAnswer>(`/api/runs/${encodeURIComponent(runId)}/commands`, command);
    say(takenSentence(runId, effect));
    return undefined;
  } catch (thrown) {
    return problemFrom(thrown).message;
  }
}
