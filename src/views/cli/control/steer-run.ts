import { placeFlag } from '../../../app/run-folder.js';
import { steerRun, type Steering, type TakenCommand } from '../../../app/steer-run.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { jsonText } from '../../text/json-text.js';
import type { CommandContext } from '../command-context.js';
import { limitFlags } from './extensions.js';

export interface SteerOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly [flag: string]: unknown;
}

interface SteerCommand extends Pick<Steering, 'name' | 'run' | 'commands'> {
  readonly options: SteerOptions;
}

/** Sends commands to a run of another process and prints what they do. Throws ConfigError when they are refused. */
export async function steerCommand(
  { name, run, commands, options }: SteerCommand,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { cwd, json } = options;
  const place = placeFlag(cwd);
  const howToResume = `${name === 'extend' ? limitFlags(options) : ''}${place}`;
  const { runId, status } = await steerRun(
    { name, run, commands, cwd, by: `pawl ${name} (pid ${process.pid})`, howToResume },
    (taken) => {
      if (json !== true) terminal.say(`${taken.sentence}${hintOf(taken, place)}`);
    },
    context,
  );
  if (json === true) terminal.raw(`${jsonText({ runId, commands, status })}\n`);
  return EXIT_CODES.goal;
}

/** What can be done about it, where the command itself does not say so. */
function hintOf({ command, isPending }: TakenCommand, place: string): string {
  if (command.type === 'pause') return `; pawl unpause${place} ${isPending ? 'cancels it' : 'continues it'}`;
  return command.type === 'stop' && isPending ? `; pawl stop --now${place} stops it now` : '';
}
