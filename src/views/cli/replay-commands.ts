import { type Command, Option } from 'commander';
import type { CommandSetting } from './command-context.js';
import type { ExplainCommandOptions } from './explain.js';
import type { ExportOptions } from './export.js';
import { EXPORT_FORMATS } from './export-format.js';
import type { ReplayCommandOptions } from './replay.js';
import type { StatsOptions } from './stats.js';

/** The commands that look back. They read records, and execute nothing. */
export function addReplayCommands(program: Command, setting: CommandSetting): void {
  const { context, end } = setting;
  program
    .command('explain')
    .argument('[run]', 'id of a run, or a path of its folder or journal (default: the latest)')
    .description('say why a run stopped, why not before, and what it took')
    .option('--at <N>', 'as it stood after this iteration; 0: before the first')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (reference: string | undefined, options: ExplainCommandOptions) => {
      const { explainCommand } = await import('./looking-commands.js');
      end(await explainCommand(reference, options, context));
    });

  program
    .command('replay')
    .argument('[run...]', 'ids, all, or paths of run folders and journals (default: the latest run)')
    .description('try another policy, or many values, on recorded runs')
    .option('--policy <FILE>', 'a config, or a file with its stop part; of a pipeline a manifest', collect)
    .option('--sweep <C>', "a condition and its values, as in 'no_progress: 2..10'; twice: all pairs", collect)
    .option('--all', 'every run of this folder')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (words: readonly string[], options: ReplayCommandOptions) => {
      const { replayCommand } = await import('./driving-commands.js');
      end(await replayCommand(words, options, context));
    });

  program
    .command('stats')
    .description('sum up all runs: outcomes, cost per goal, waste, errors')
    .option('--all-projects', 'of every folder in which you have had runs')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (options: StatsOptions) => {
      const { statsCommand } = await import('./looking-commands.js');
      end(await statsCommand(options, context));
    });
  addExport(program, setting);
}

function addExport(program: Command, { context, end }: CommandSetting): void {
  program
    .command('export')
    .argument('[run]', 'id of a run (default: the latest)')
    .description('write a run as a report or as data, to hand on or to keep')
    .addOption(
      new Option('--format <FORMAT>', 'default: by the ending of FILE, otherwise json').choices(EXPORT_FORMATS),
    )
    .option('-o, --file <FILE>', 'write it to this file, which only you can read; -: to standard output')
    .option('--force', 'replace the file that is there')
    .option('--output', 'with what the agent said and did')
    .option('--no-output-text', 'without any words of the agent and of programs: figures only')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'the same as --format json')
    .action(async (reference: string | undefined, options: ExportOptions) => {
      const { exportCommand } = await import('./looking-commands.js');
      end(await exportCommand(reference, options, context));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
