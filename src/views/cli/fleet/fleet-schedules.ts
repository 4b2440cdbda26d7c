import { readSchedules, removeSchedule } from '../../../fleet/schedules.js';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { plural } from '../../../model/figures.js';
import type { CommandContext } from '../command-context.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { type FleetOptions, withFleet } from './fleet-connection.js';

export interface FleetSchedulesOptions extends FleetOptions {
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** What is submitted again and again. */
export async function fleetSchedulesCommand(
  name: string | undefined,
  options: FleetSchedulesOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  if (options.remove === true && name === undefined) throw refused('which schedule is to be removed?');
  return withFleet(options, context, async (fleet) => {
    if (options.remove === true && name !== undefined) {
      if (!(await removeSchedule(fleet, name))) throw refused(`there is no schedule ${JSON.stringify(name)}`);
      terminal.say(`${printable(name)} is submitted no more`);
      return EXIT_CODES.goal;
    }
    const schedules = (await readSchedules(fleet)).filter((schedule) => name === undefined || schedule.name === name);
    if (options.json === true) terminal.raw(`${jsonText(schedules, 2)}\n`);
    else if (schedules.length === 0)
      terminal.say('nothing is submitted again and again; pawl submit --every does that');
    else {
      for (const { name: batch, cron, timeZone, runs } of schedules) {
        terminal.say(printable(`${batch}: ${plural(runs, 'run')} at ${cron} (${timeZone})`));
      }
    }
    return EXIT_CODES.goal;
  });
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
