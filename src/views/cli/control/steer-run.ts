import { locateRun } from '../../../journal/list-runs.js';
import { ConfigError, PawlError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import type { Taken } from '../../../run/control-client.js';
import { insideRun } from '../../../setup/inside-run.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { placeFlag } from '../../../app/run-folder.js';
import { limitFlags } from './extensions.js';
import { findLiveRun, notLive, type ReachableRun, signalHint } from '../../../app/find-live-run.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { sendToReachable } from '../../../app/send-to-run.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';

export interface SteerOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly [flag: string]: unknown;
}

export interface Steering {
  /** The command as it was typed. */
  readonly name: string;
  readonly run?: string | undefined;
  /** Sent one after the other. */
  readonly commands: readonly LoopCommand[];
  readonly options: SteerOptions;
  /** Who asks, for the record. */
  readonly by?: string | undefined;
  /** Commands that an agent may not give to its own run (default: those by which it would give itself more). */
  readonly forPeople?: readonly string[] | undefined;
}

/** Sends commands to a run of another process and says what they do. Throws ConfigError when they are refused. */
export async function steerRun(steering: Steering, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { commands, options } = steering;
  const place = placeFlag(options.cwd);
  const { runId, status } = await sendCommands(
    steering,
    (live, command, taken) => {
      if (options.json === true) return;
      terminal.say(oneLine(`${shortId(live)} ${taken.effect}${hintOf(command, taken, place)}`, 400));
    },
    context,
  );
  if (options.json === true) terminal.raw(`${jsonText({ runId, commands, status })}\n`);
  return EXIT_CODES.goal;
}

/** The run that was reached, and its state after the last command. */
export interface Steered {
  readonly runId: string;
  readonly status: string;
}

/** Sends commands to a run of another process, one after the other. Throws ConfigError when one is refused. */
export async function sendCommands(
  steering: Steering,
  onTaken: (runId: string, command: LoopCommand, taken: Taken) => void,
  context: CommandContext,
): Promise<Steered> {
  const { name, run, commands, options, forPeople = ['approve', 'extend', 'answer'] } = steering;
  const { by = `pawl ${name} (pid ${process.pid})` } = steering;
  const { workingDir } = runFolderOf(options.cwd, context);
  const howToResume = `${name === 'extend' ? limitFlags(options) : ''}${placeFlag(options.cwd)}`;
  const live = await findLiveRun(workingDir, run, howToResume, context);
  if (forPeople.includes(name)) checkNotItsAgent(name, live.runId, context.environment);
  let status = '';
  for (const command of commands) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    const taken = await send(live, { command, by, workingDir, howToResume }, context.environment);
    ({ status } = taken);
    onTaken(live.runId, command, taken);
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

/** What can be done about it, where that is not said by the command itself. */
function hintOf(command: LoopCommand, { isPending }: Taken, place: string): string {
  if (command.type === 'pause') return `; pawl unpause${place} ${isPending ? 'cancels it' : 'continues it'}`;
  return command.type === 'stop' && isPending ? `; pawl stop --now${place} stops it now` : '';
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
