import { Argument, type Command, Option } from 'commander';
import { configFlagOptions } from '../config-flags.js';
import type { FleetInitOptions, FleetLimitOptions, FleetPruneOptions, FleetWish, FleetWishOptions } from './fleet.js';
import type { FleetOptions } from './fleet-connection.js';
import type { FleetLogsOptions } from './fleet-logs.js';
import type { FleetSchedulesOptions } from './fleet-schedules.js';
import type { FleetStatusOptions } from './fleet-status.js';
import type { CommandSetting } from '../command-context.js';
import type { SubmitOptions } from './submit.js';
import type { WorkerCommandOptions } from './worker.js';

const ID = 'the id of a run, or its start or end';
const POSTGRES = ['--postgres <URL>', 'the database of the fleet (default: $PAWL_POSTGRES)'] as const;

const WISHES = [
  ['cancel', 'stop runs for good, or remove them from the queue'],
  ['pause', 'pause runs after their iteration and free their workers'],
  ['unpause', 'continue paused runs'],
] as const satisfies readonly (readonly [FleetWish, string])[];

/** The commands for many runs on many machines. */
export function addFleetCommands(program: Command, setting: CommandSetting): void {
  addWorker(program, setting);
  addSubmit(program, setting);
  const fleet = program.command('fleet').description('inspect and control the runs of a fleet');
  addLookers(fleet, setting);
  addWishes(fleet, setting);
  addSenders(fleet, setting);
  addLimit(fleet, setting);
}

function addWorker(program: Command, { context, end }: CommandSetting): void {
  program
    .command('worker')
    .description('execute the runs of a fleet until it is stopped')
    .option(...POSTGRES)
    .option('--slots <N>', 'how many runs to execute at once (default: 1)')
    .option('--label <L>', 'a label that this worker offers; repeatable', collect)
    .option('--labels <LIST>', 'several labels, separated by commas', collectList)
    .option('--home <DIR>', 'where to keep mirrors and working trees (default: the state folder of the user)')
    .addOption(new Option('--ttl <DURATION>').hideHelp())
    .action(async (options: WorkerCommandOptions) => {
      const { workerCommand } = await import('./worker.js');
      end(await workerCommand(options, context));
    });
}

function addSubmit(program: Command, { context, end, command }: CommandSetting): void {
  const submit = program
    .command('submit')
    .argument('[config]', 'the config file (default: pawl.yaml, pawl.yml or pawl.json)')
    .usage('[CONFIG] --repo URL --branch B [-p TEXT] [options] [-- COMMAND ARGS...]')
    .description('submit one run to a fleet, or one for each line of a file')
    .option(...POSTGRES)
    .option('--repo <URL>', 'the URL of the git repository, as the workers reach it')
    .option('--branch <B>', 'the branch, tag or commit to start from')
    .option(
      '--matrix <FILE>',
      'submit a run for each line, a JSON object whose values fill {{ticket.KEY}} in the prompt',
    )
    .option('--label <L>', 'only workers that offer this label may execute the run; repeatable', collect)
    .option('--labels <LIST>', 'several labels, separated by commas', collectList)
    .option('--key-group <NAME>', 'runs with the same name share a limit, as those that use one API key')
    .addOption(new Option('--api-key <NAME>').hideHelp())
    .option('--batch <NAME>', 'group the runs under this name')
    .option('--every <CRON>', "submit again and again, such as '0 2 * * *' for every night at two")
    .option('--time-zone <ZONE>', 'of --every, such as Europe/Berlin (default: UTC)')
    .option('--batch-cost <USD>', 'the most that all runs of the batch may cost together')
    .option('--cwd <DIR>', 'find the config and the prompt in this folder')
    .option('--json', 'print each run as one line of JSON')
    .action(async (config: string | undefined, options: SubmitOptions) => {
      const { submitCommand } = await import('./submit.js');
      end(await submitCommand(config, options, command, context));
    });
  for (const option of configFlagOptions()) submit.addOption(option);
}

function addLookers(fleet: Command, { context, end }: CommandSetting): void {
  fleet
    .command('init')
    .description('prepare a database for a fleet, or upgrade it')
    .option(...POSTGRES)
    .option('--ttl <DURATION>', 'how long others wait for a heartbeat before they take over (default: 30s)')
    .action(async (options: FleetInitOptions) => {
      const { fleetInitCommand } = await import('./fleet.js');
      end(await fleetInitCommand(options, context));
    });

  fleet
    .command('status')
    .description('list the workers and the runs, newest first')
    .option(...POSTGRES)
    .option('--batch <NAME>', 'only the runs of this batch')
    .option('--json', 'print JSON')
    .action(async (options: FleetStatusOptions) => {
      const { fleetStatusCommand } = await import('./fleet-status.js');
      end(await fleetStatusCommand(options, context));
    });

  fleet
    .command('schedules')
    .argument('[name]', 'the batch of a schedule')
    .description('list what is submitted again and again, or remove a schedule')
    .option(...POSTGRES)
    .option('--remove', 'remove the schedule; its runs stay')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, options: FleetSchedulesOptions) => {
      const { fleetSchedulesCommand } = await import('./fleet-schedules.js');
      end(await fleetSchedulesCommand(name, options, context));
    });

  fleet
    .command('prune')
    .description('delete runs that ended long ago, with their records, from the database')
    .option(...POSTGRES)
    .option('--older-than <DURATION>', 'those that ended longer ago than this, such as 30d')
    .action(async (options: FleetPruneOptions) => {
      const { fleetPruneCommand } = await import('./fleet.js');
      end(await fleetPruneCommand(options, context));
    });

  fleet
    .command('logs')
    .argument('<id>', ID)
    .description('print what the agent of a run said and did')
    .option(...POSTGRES)
    .option('-f, --follow', 'keep printing until the run ends')
    .option('--json', 'print the recorded events, one line of JSON each')
    .action(async (reference: string, options: FleetLogsOptions) => {
      const { fleetLogsCommand } = await import('./fleet-logs.js');
      end(await fleetLogsCommand(reference, options, context));
    });
}

function addWishes(fleet: Command, { context, end }: CommandSetting): void {
  for (const [name, about] of WISHES) {
    fleet
      .command(name)
      .argument('[id...]', `${ID}; repeatable`)
      .description(about)
      .option(...POSTGRES)
      .option('--batch <NAME>', 'all runs of this batch')
      .option('--all', 'all runs that have not ended')
      .action(async (references: readonly string[], options: FleetWishOptions) => {
        const { fleetWishCommand } = await import('./fleet.js');
        end(await fleetWishCommand(name, references, options, context));
      });
  }
}

function addSenders(fleet: Command, setting: CommandSetting): void {
  addTold(fleet, 'steer', 'add a message to the next prompt of a run', setting);
  fleet
    .command('approve')
    .argument('<id>', ID)
    .description('approve the next iteration of an attended run')
    .option(...POSTGRES)
    .action(async (reference: string, options: FleetOptions) => {
      const { fleetSendCommand } = await import('./fleet.js');
      setting.end(await fleetSendCommand({ type: 'approve' }, reference, options, setting.context));
    });
  addTold(fleet, 'reject', 'send an attended run back with a reason; it asks again', setting);
  fleet
    .command('answer')
    .argument('<id>', ID)
    .argument('<text>', 'the answer in quotes, or the number of a choice')
    .description('answer a question that the agent of a run asked')
    .option('--question <ID>', 'which question, if several are open')
    .option(...POSTGRES)
    .action(async (reference: string, text: string, options: FleetOptions & { readonly question?: string }) => {
      const { fleetSendCommand } = await import('./fleet.js');
      const { question } = options;
      const command = { type: 'answer', text, ...(question === undefined ? {} : { question }) } as const;
      setting.end(await fleetSendCommand(command, reference, options, setting.context));
    });
}

function addTold(fleet: Command, type: 'steer' | 'reject', about: string, { context, end }: CommandSetting): void {
  fleet
    .command(type)
    .argument('<id>', ID)
    .argument('<text>', 'the text, in quotes')
    .description(about)
    .option(...POSTGRES)
    .action(async (reference: string, text: string, options: FleetOptions) => {
      const { fleetSendCommand } = await import('./fleet.js');
      end(await fleetSendCommand({ type, text }, reference, options, context));
    });
}

function addLimit(fleet: Command, { context, end }: CommandSetting): void {
  fleet
    .command('limit')
    .addArgument(new Argument('[kind]', 'of what').choices(['repository', 'key_group', 'label']))
    .argument('[key]', 'the name of the key; * means every key without a limit of its own')
    .argument('[most]', 'how many runs at once')
    .description('limit how many runs use a key at once, or print the limits')
    .option(...POSTGRES)
    .option('--remove', 'remove the limit')
    .option('--json', 'print JSON')
    .action(async (...[kind, key, most, options]: LimitWords) => {
      const { fleetLimitCommand } = await import('./fleet.js');
      end(await fleetLimitCommand({ kind, key, most }, options, context));
    });
}

type LimitWords = [
  kind: string | undefined,
  key: string | undefined,
  most: string | undefined,
  options: FleetLimitOptions,
];

function collectList(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(',')];
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
