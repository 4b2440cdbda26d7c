import { type Command, Option } from 'commander';
import type { CommandSetting } from '../command-context.js';
import type { ExplainCommandOptions } from './explain.js';
import type { ExportOptions } from './export.js';
import { EXPORT_FORMATS } from './export-format.js';
import type { ReplayCommandOptions } from './replay.js';
import type { StatsOptions } from './stats.js';
import type { TuneCommandOptions } from './tune.js';

/** The commands that look back. They read records, and execute nothing. */
export function addReplayCommands(program: Command, setting: CommandSetting): void {
  const { context, end } = setting;
  program
    .command('explain')
    .argument('[run]', 'the id of a run, or the path of its folder or journal (default: the latest)')
    .description('explain why a run stopped, why not earlier, and what it cost')
    .option('--at <N>', 'explain the state after this iteration; 0: before the first')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print JSON')
    .action(async (reference: string | undefined, options: ExplainCommandOptions) => {
      const { explainCommand } = await import('../looking-commands.js');
      end(await explainCommand(reference, options, context));
    });

  program
    .command('replay')
    .argument('[run...]', 'ids, "all", or paths of run folders and journals (default: the latest run)')
    .description('test another policy, or many values, on recorded runs')
    .option(
      '--policy <FILE>',
      'a config, a file with its stop section, or a manifest for pipelines; repeatable',
      collect,
    )
    .option(
      '--sweep <C>',
      "a condition and its values, such as 'no_progress: 2..10'; give two to test all pairs",
      collect,
    )
    .option('--all', 'replay every run of this folder')
    .option('--imported', 'use the imported runs instead of those of this folder')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print JSON')
    .action(async (words: readonly string[], options: ReplayCommandOptions) => {
      const { replayCommand } = await import('../driving-commands.js');
      end(await replayCommand(words, options, context));
    });

  program
    .command('stats')
    .description('summarize all runs: outcomes, cost per goal, waste, errors')
    .option('--all-projects', 'include every folder that has runs')
    .option('--imported', 'use the imported runs instead of those of this folder')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print JSON')
    .action(async (options: StatsOptions) => {
      const { statsCommand } = await import('../looking-commands.js');
      end(await statsCommand(options, context));
    });
  addTune(program, setting);
  addExport(program, setting);
}

function addTune(program: Command, { context, end }: CommandSetting): void {
  program
    .command('tune')
    .description('find the best stop policy from runs with known results')
    .option('--imported', 'use only the imported runs, not those of this folder')
    .option('--lose <SHARE>', 'the share of the goals that may be lost (default: 1%)')
    .option('--task <REGEX>', 'the part of the name of a run that is its task')
    .option('--out <FILE>', 'write the model of likely_to_fail to this file')
    .option('--svg <FILE>', 'write the chart to this file')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print JSON')
    .action(async (options: TuneCommandOptions) => {
      const { tuneCommand } = await import('../looking-commands.js');
      end(await tuneCommand(options, context));
    });
}

function addExport(program: Command, { context, end }: CommandSetting): void {
  program
    .command('export')
    .argument('[run]', 'the id of a run (default: the latest)')
    .description('export a run as a report or as data')
    .addOption(
      new Option('--format <FORMAT>', 'the format (default: by the extension of FILE, otherwise json)').choices(
        EXPORT_FORMATS,
      ),
    )
    .option('-o, --file <FILE>', 'write to this file, readable only by you; -: standard output')
    .option('--force', 'overwrite an existing file')
    .option('--output', 'include what the agent said and did')
    .option('--no-output-text', 'leave out all text of the agent and of programs; figures only')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'short for --format json')
    .action(async (reference: string | undefined, options: ExportOptions) => {
      const { exportCommand } = await import('../looking-commands.js');
      end(await exportCommand(reference, options, context));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
