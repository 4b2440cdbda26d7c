import { PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { ClaimReport, QuestionReport } from '../run/agent-reports.js';
import { NOT_LIVE, sendClaim, sendCommand, sendQuestion, type Taken } from '../run/control-client.js';
import { findLiveRun, type ReachableRun } from './find-live-run.js';
import type { NotedSurroundings } from './surroundings.js';

const LONGEST_CALL_MS = 86_400_000;

/** Sends a command to the run of another process. Rejects with why it is not taken. */
export async function sendToRun(
  workingDir: string,
  runId: string,
  command: LoopCommand,
  by: string,
  context: NotedSurroundings,
): Promise<void> {
  const taken = await sendToReachable(await findLiveRun(workingDir, runId, '', context), command, by);
  if (taken === undefined) throw new PawlError('InvalidState', NOT_LIVE);
}

/** By whichever of its sockets answers; undefined when none does. */
export function sendToReachable(
  { runId, sockets }: ReachableRun,
  command: LoopCommand,
  by: string,
): Promise<Taken | undefined> {
  return firstAnswer(sockets, (socket) => sendCommand({ socket, runId, command, by }));
}

/** What an agent reports, in the same way. */
export function claimToReachable(
  { runId, sockets }: ReachableRun,
  report: ClaimReport,
  by: string,
): Promise<Taken | undefined> {
  return firstAnswer(sockets, (socket) => sendClaim({ socket, runId, report, by }));
}

/** What an agent asks a person, in the same way. The run says how long it waits. */
export function questionToReachable(
  { runId, sockets }: ReachableRun,
  report: QuestionReport,
  by: string,
  signal: AbortSignal | undefined,
): Promise<Taken | undefined> {
  return firstAnswer(sockets, (socket) =>
    sendQuestion({ socket, runId, report, by, timeoutMs: LONGEST_CALL_MS, signal }),
  );
}

async function firstAnswer(
  sockets: readonly string[],
  send: (socket: string) => Promise<Taken>,
): Promise<Taken | undefined> {
  for (const socket of sockets) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the first that answers
      return await send(socket);
    } catch (error) {
      if (!(error instanceof PawlError) || error.message !== NOT_LIVE) throw error;
    }
  }
  return undefined;
}
