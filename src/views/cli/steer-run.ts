import { locateRun } from '../../journal/list-runs.js';
import { ConfigError, PawlError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import type { LoopCommand } from '../../model/loop-command.js';
import type { Taken } from '../../run/control-client.js';
import { oneLine } from '../terminal/one-line.js';
import { shortId } from '../terminal/short-id.js';
import { placeFlag } from './drive-run.js';
import { limitFlags } from './extensions.js';
import { findLiveRun, notLive, type ReachableRun, signalHint } from './find-live-run.js';
import { runFolderOf } from './run-folder.js';
import { sendToReachable } from './send-to-run.js';
import type { Terminal } from './terminal.js';

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
}

/** Sends commands to a run of another process and says what they do. Throws ConfigError when they are refused. */
export async function steerRun({ name, run, commands, options }: Steering, terminal: Terminal): Promise<ExitCode> {
  const { workingDir } = runFolderOf(options.cwd);
  const place = placeFlag(options.cwd);
  const howToResume = `${name === 'extend' ? limitFlags(options) : ''}${place}`;
  const live = await findLiveRun(workingDir, run, howToResume);
  checkNotItsAgent(name, live.runId);
  const id = shortId(live.runId);
  let status = '';
  for (const command of commands) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    const taken = await send(live, { name, command, workingDir, howToResume });
    ({ status } = taken);
    if (options.json !== true) terminal.say(oneLine(`${id} ${taken.effect}${hintOf(command, taken, place)}`, 400));
  }
  if (options.json === true) terminal.raw(`${JSON.stringify({ runId: live.runId, commands, status })}\n`);
  return EXIT_CODES.goal;
}

interface Sending {
  readonly name: string;
  readonly command: LoopCommand;
  readonly workingDir: string;
  readonly howToResume: string;
}

async function send(live: ReachableRun, { name, command, workingDir, howToResume }: Sending): Promise<Taken> {
  const id = shortId(live.runId);
  try {
    const taken = await sendToReachable(live, command, `pawl ${name} (pid ${process.pid})`);
    if (taken !== undefined) return taken;
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'InvalidState') throw error;
    throw refused(`${id}: ${error.message}`);
  }
  const run = locateRun(workingDir, live.runId, process.env);
  if (run.holder === undefined) throw await notLive(run, howToResume);
  throw refused(`${id} is live and cannot be reached; try again in some seconds, or ${signalHint(run)}`);
}

/** What can be done about it, where that is not said by the command itself. */
function hintOf(command: LoopCommand, { isPending }: Taken, place: string): string {
  if (command.type === 'pause') return `; pawl unpause${place} ${isPending ? 'takes it back' : 'goes on'}`;
  return command.type === 'stop' && isPending ? `; pawl stop --now${place} stops it now` : '';
}

/** Agents and hooks inherit the name of their run. They may stop it, but not give themselves more. */
function checkNotItsAgent(name: string, runId: string): void {
  if (name !== 'approve' && name !== 'extend') return;
  const cookie = process.env['PAWL_COOKIE'];
  if (cookie?.startsWith(`${runId}.`) !== true) return;
  const { PAWL_HOOK: hook } = process.env;
  const asker = hook === undefined ? 'the agent' : `the hook ${oneLine(hook, 40)}`;
  throw refused(`${shortId(runId)} is the run of ${asker} that asks: ${name} is for people`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
