import { type Command, Option } from 'commander';
import type { CommandSetting } from '../command-context.js';
import { configFlagOptions, raisingOptions } from '../config-flags.js';
import type { ListOptions } from '../inspect/list.js';
import type { LogsOptions } from '../inspect/logs.js';
import type { ResumeCommandOptions } from './resume.js';
import type { RunCommandOptions } from './run.js';
import type { ShowOptions } from '../inspect/show.js';
import type { StatusOptions } from '../inspect/status.js';
import type { WatchOptions } from '../inspect/watch.js';

const RUN = 'the id of a run or the start of one (default: the latest)';

/** Events are all there is with --json: there is nothing that could be left out. */
function quietOption(): Option {
  return new Option('--quiet', 'print only the end report').conflicts('json');
}

/** The commands that make runs, and those that show them. */
export function addRunCommands(program: Command, setting: CommandSetting): void {
  addDrivers(program, setting);
  addLookers(program, setting);
}

function addDrivers(program: Command, { context, end, command }: CommandSetting): void {
  const run = program
    .command('run')
    .argument('[file]', 'the prompt file (default: PROMPT.md or prompt.md)')
    .usage('[FILE | -p TEXT] [-a AGENT] [options] [-- COMMAND ARGS...]')
    .description('run an agent on a prompt in a loop until the work is done')
    .option('--config <FILE>', 'the config file (default: pawl.yaml, pawl.yml or pawl.json)')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--worktree [NAME]', 'work in a new git worktree on the branch pawl/NAME (default: the id of the run)')
    .option('--json', 'print every recorded event as one line of JSON')
    .addOption(quietOption())
    .option('--dry-run', 'print what would be run, and run nothing')
    .option('--trust', 'confirm the commands that the config of this folder executes')
    .option('--detach', 'run in the background; return when the run has started')
    .addOption(new Option('--detached-run <RUN>').hideHelp())
    .action(async (file: string | undefined, options: RunCommandOptions) => {
      const { runLoopCommand } = await import('./run.js');
      end(await runLoopCommand(file, options, command, context));
    });
  for (const option of configFlagOptions()) run.addOption(option);

  const resume = program
    .command('resume')
    .argument('[run]', RUN)
    .description('resume a run that was stopped or interrupted')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print every recorded event as one line of JSON')
    .addOption(quietOption())
    .option('--trust', 'confirm the commands of a run that someone else started')
    .option('--steer <TEXT>', 'add this to the next prompt, such as the answer to a question')
    .option('--accept-tests', 'accept the tests as they are now instead of the original ones, and check the work again')
    .option('--newest-rules', 'use the newest rules of the conditions, not those the run started with')
    .option('--detach', 'resume in the background; return when the run has started')
    .option('--all', 'resume, in the background, every run that a reboot of the machine interrupted')
    .option('--within <DURATION>', 'with --all: only runs interrupted within this time (default: 24h)')
    .option('--dry-run', 'with --all: print which runs, and start nothing')
    .addOption(new Option('--detached-run <RUN>').hideHelp())
    .action(async (reference: string | undefined, options: ResumeCommandOptions) => {
      const { checkResumeFlags } = await import('../driving-commands.js');
      checkResumeFlags(reference, options);
      if (options['all'] === true) {
        const { resumeAllCommand } = await import('../driving-commands.js');
        end(await resumeAllCommand(reference, options, context));
        return;
      }
      const { resumeCommand } = await import('../driving-commands.js');
      end(await resumeCommand(reference, options, context));
    });
  for (const option of raisingOptions()) resume.addOption(option);
}

function addLookers(program: Command, { context, end }: CommandSetting): void {
  const looker = (name: string, about: string) =>
    program.command(name).description(about).option('--cwd <DIR>', 'use this folder instead of the current one');

  looker('list', 'list the runs of this folder, newest first')
    .option('--all', 'include every folder that has runs')
    .option('--imported', 'list the imported runs instead of those of this folder')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const { listCommand } = await import('../looking-commands.js');
      end(await listCommand(options, context));
    });

  looker('status', 'show where a run is now, or how it ended')
    .argument('[run]', RUN)
    .option('--json', 'print JSON')
    .action(async (reference: string | undefined, options: StatusOptions) => {
      const { statusCommand } = await import('../looking-commands.js');
      end(await statusCommand(reference, options, context));
    });

  looker('show', 'show a run, or everything about one iteration or item')
    .argument('[run]', RUN)
    .argument('[iteration]', 'the number of an iteration, or the id of a pipeline item')
    .option('--json', 'print JSON')
    .action(async (reference: string | undefined, iteration: string | undefined, options: ShowOptions) => {
      const { showCommand } = await import('../looking-commands.js');
      end(await showCommand(reference, iteration, options, context));
    });

  looker('logs', 'print what the agent said and did')
    .argument('[run]', RUN)
    .option('-f, --follow', 'keep printing until the run ends')
    .option('--iteration <N>', 'only this iteration')
    .option('--item <ID>', 'only this item of a pipeline')
    .option('--json', 'print the recorded events, one line of JSON each')
    .action(async (reference: string | undefined, options: LogsOptions) => {
      const { logsCommand } = await import('../looking-commands.js');
      end(await logsCommand(reference, options, context));
    });

  looker('watch', 'show a run live from any terminal, and control it with keys')
    .argument('[run]', 'the id of a run or the start of one (default: the live run, or the latest)')
    .option('--json', 'print the recorded events until the run ends, one line of JSON each')
    .addOption(quietOption())
    .action(async (reference: string | undefined, options: WatchOptions) => {
      const { watchCommand } = await import('../looking-commands.js');
      end(await watchCommand(reference, options, context));
    });
}
