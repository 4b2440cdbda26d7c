import type { Command } from 'commander';
import type { CommandContext } from './config-commands.js';
import type { ExplainCommandOptions } from './explain.js';
import type { ReplayCommandOptions } from './replay.js';
import type { StatsOptions } from './stats.js';

/** The commands that look back. They read records, and execute nothing. */
export function addReplayCommands(program: Command, { terminal, end }: CommandContext): void {
  program
    .command('explain')
    .argument('[run]', 'id of a run, or a path of its folder or journal (default: the latest)')
    .description('say why a run stopped, why not before, and what it took')
    .option('--at <N>', 'as it stood after this iteration; 0: before the first')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (reference: string | undefined, options: ExplainCommandOptions) => {
      const { explainCommand } = await import('./explain.js');
      end(await explainCommand(reference, options, terminal));
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
      const { replayCommand } = await import('./replay.js');
      end(await replayCommand(words, options, terminal));
    });

  program
    .command('stats')
    .description('sum up all runs: outcomes, cost per goal, waste, errors')
    .option('--all-projects', 'of every folder in which you have had runs')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (options: StatsOptions) => {
      const { statsCommand } = await import('./stats.js');
      end(await statsCommand(options, terminal));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
