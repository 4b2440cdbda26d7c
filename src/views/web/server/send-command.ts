import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SNAPSHOT_NAME, type Environment } from '../../../journal/run-places.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import { answerStoppedRun } from '../../../run/resume-run.js';
import { parseCommand } from '../../../run/control-request.js';
import type { Surroundings } from '../../../app/surroundings.js';
import { checkDayCeiling } from '../../../app/day-limit.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';
import { checkNotOfFleet } from '../../../app/fleet-records.js';
import { notLive, socketsOf } from '../../../app/find-live-run.js';
import { sendToReachable } from '../../../app/send-to-run.js';
import { checkNotItsAgent } from '../../../app/steer-run.js';
import { shortId } from '../../../words/short-id.js';
import type { CommandAnswer } from '../wire/api.js';
import { Refusal } from './refusal.js';
import type { IndexedRun } from './run-index.js';
import type { RunViews } from './run-views.js';
import { readSmallSnapshot } from './snapshot-summaries.js';

/** A run that has just begun names its socket in a moment. */
const LOOKS = 20;
const BETWEEN_LOOKS_MS = 100;

/** Sends what the page asks for, checked as the command line checks it. */
export async function sendFromPage(
  run: IndexedRun,
  views: RunViews,
  asked: unknown,
  context: Surroundings,
): Promise<CommandAnswer> {
  const command = parseCommand(asked);
  return sendCommand(run, views, command, `the dashboard (pawl ui, pid ${process.pid})`, context);
}

/** The same for a command that was checked. An answer is also taken for a run that no process has now. */
export async function sendCommand(
  run: IndexedRun,
  views: RunViews,
  command: LoopCommand,
  by: string,
  context: Surroundings,
): Promise<CommandAnswer> {
  const { environment } = context;
  if (command.type === 'extend') checkDayCeiling([command.limit], context);
  checkNotItsAgent(command.type, run.runId, environment);
  checkNotOfFleet(run, environment);
  for (let look = 0; look < LOOKS; look += 1) {
    // oxlint-disable-next-line no-await-in-loop -- inspected again after a while
    if (!views.isLive(run)) return answerOrRefuse(run, command, by, environment);
    // oxlint-disable-next-line no-await-in-loop -- as above
    const taken = await send(run, command, by, environment);
    if (taken !== undefined) return taken;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause(BETWEEN_LOOKS_MS);
  }
  throw new Refusal(503, `${shortId(run.runId)} is live and cannot be reached; try again in a few seconds`);
}

function send(
  { runId, folder }: IndexedRun,
  command: LoopCommand,
  by: string,
  environment: Environment,
): Promise<CommandAnswer | undefined> {
  const snapshot = readSmallSnapshot(join(folder, SNAPSHOT_NAME));
  const sockets = socketsOf({ runId, snapshot }, environment);
  return sendToReachable({ runId, sockets }, command, by);
}

async function answerOrRefuse(
  run: IndexedRun,
  command: LoopCommand,
  by: string,
  environment: Environment,
): Promise<CommandAnswer> {
  const { runId, workingDir } = run;
  if (command.type !== 'answer' || isPipelineId(runId)) throw await notLiveAnyMore(run);
  const { status, question = '' } = await answerStoppedRun({ workingDir, runId, answer: command, by, environment });
  const effect = `has the answer to ${question}; pawl resume ${shortId(runId)} continues with it`;
  return { status, effect, isPending: true };
}

async function notLiveAnyMore({ snapshot: _glance, ...run }: IndexedRun): Promise<Refusal> {
  const { issues } = await notLive({ ...run, holder: undefined }, '');
  return new Refusal(409, issues[0]?.message ?? `${shortId(run.runId)} is not live`);
}
