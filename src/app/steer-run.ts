import { locateRun } from '../journal/list-runs.js';
import type { Environment } from '../journal/run-places.js';
import { ConfigError, PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { Taken } from '../run/control-client.js';
import { insideRun } from '../setup/inside-run.js';
import { oneLine } from '../words/printable.js';
import { shortId } from '../words/short-id.js';
import { takenSentence } from '../words/taken-sentence.js';
import { findLiveRun, notLive, type ReachableRun, signalHint } from './find-live-run.js';
import { placeFlag, runFolderOf } from './run-folder.js';
import { sendToReachable } from './send-to-run.js';
import type { NotedSurroundings } from './surroundings.js';

/** What would give a run more than a person has granted. */
const FOR_PEOPLE = ['approve', 'extend', 'answer'];

export interface Steering {
  /** What the user calls the command. */
  readonly name: string;
  readonly run?: string | undefined;
  /** Sent one after the other. */
  readonly commands: readonly LoopCommand[];
  /** The folder whose runs are meant (default: the one the action was called in). */
  readonly cwd?: string | undefined;
  /** Who asks, for the record. */
  readonly by: string;
  /** What a command that resumes the run needs besides its id. */
  readonly howToResume?: string | undefined;
  /** Commands that an agent may not give to its own run (default: those by which it would give itself more). */
  readonly forPeople?: readonly string[] | undefined;
}

/** A command that a run has taken. */
export interface TakenCommand extends Taken {
  readonly command: LoopCommand;
  /** What it does, the same through every door. */
  readonly sentence: string;
}

/** The run that was reached, and its state after the last command. */
export interface Steered {
  readonly runId: string;
  readonly status: string;
}

/** Sends commands to a run of another process, one after the other. Throws ConfigError when one is refused. */
export async function steerRun(
  steering: Steering,
  onTaken: (taken: TakenCommand) => void,
  context: NotedSurroundings,
): Promise<Steered> {
  const { name, run, commands, cwd, by, howToResume = placeFlag(cwd), forPeople = FOR_PEOPLE } = steering;
  const { workingDir } = runFolderOf(cwd, context);
  const live = await findLiveRun(workingDir, run, howToResume, context);
  if (forPeople.includes(name)) checkNotItsAgent(name, live.runId, context.environment);
  let status = '';
  for (const command of commands) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    const taken = await send(live, { command, by, workingDir, howToResume }, context.environment);
    ({ status } = taken);
    onTaken({ ...taken, command, sentence: takenSentence(live.runId, taken.effect) });
  }
  return { runId: live.runId, status };
}

interface Sending {
  readonly command: LoopCommand;
  readonly by: string;
  readonly workingDir: string;
  readonly howToResume: string;
}

async function send(
  live: ReachableRun,
  { command, by, workingDir, howToResume }: Sending,
  environment: Environment,
): Promise<Taken> {
  const id = shortId(live.runId);
  try {
    const taken = await sendToReachable(live, command, by);
    if (taken !== undefined) return taken;
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'InvalidState') throw error;
    throw refused(`${id}: ${error.message}`);
  }
  const run = locateRun(workingDir, live.runId, environment);
  if (run.holder === undefined) throw await notLive(run, howToResume);
  throw refused(`${id} is live and cannot be reached; try again in a few seconds, or ${signalHint(run)}`);
}

/** Agents and hooks inherit the name of their run. */
export function checkNotItsAgent(name: string, runId: string, environment: Environment): void {
  if (!insideRun(environment).isInside(runId)) return;
  const { PAWL_HOOK: hook } = environment;
  const asker = hook === undefined ? 'the agent' : `the hook ${oneLine(hook, 40)}`;
  throw refused(`${shortId(runId)} is the run that ${asker} belongs to: ${name} is for people`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
