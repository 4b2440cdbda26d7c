import type { Command } from 'commander';
import type { CommandSetting } from './command-context.js';
import type { DiffOptions } from './diff.js';
import type { PruneOptions } from './prune.js';
import type { RestoreCommandOptions } from './restore.js';

/** The commands about what runs did to the files and left on disk. */
export function addTreeCommands(program: Command, { context, end }: CommandSetting): void {
  program
    .command('diff')
    .argument('[run]', 'id of a run, or the beginning of one (default: the latest)')
    .argument(
      '[iteration]',
      'number of an iteration (default: the whole run); 3@green is up to when its tests were green',
    )
    .description('show what an iteration changed in the files, or the whole run')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--stat', 'print how many lines of each file changed')
    .option('--name-only', 'print the names of the files only')
    .option('--json', 'print the names of the files as JSON')
    .action(async (reference: string | undefined, iteration: string | undefined, options: DiffOptions) => {
      const { diffCommand } = await import('./looking-commands.js');
      end(await diffCommand(reference, iteration, options, context));
    });

  program
    .command('restore')
    .argument('[run]', 'id of a run, or the beginning of one (default: the latest)')
    .argument('[iteration]', 'number of an iteration; 0 is before the first; 3@green is when its tests were green')
    .description('put the files back to how they were after an iteration')
    .option('--cwd <DIR>', 'work there instead of here')
    .option('--force', 'replace also what no run has recorded; a checkpoint is kept')
    .option('--undo', 'put them back to how they were before the last restore; again for the one before')
    .option('--to <SNAPSHOT>', 'put them back to a snapshot by its name, as a restore has told it')
    .option('--json', 'print what was done as JSON')
    .action(async (reference: string | undefined, iteration: string | undefined, options: RestoreCommandOptions) => {
      const { restoreCommand } = await import('./driving-commands.js');
      end(await restoreCommand(reference, iteration, options, context));
    });

  program
    .command('prune')
    .description('delete the records and snapshots of old runs')
    .option('--cwd <DIR>', 'work there instead of here')
    .option('--keep <DURATION>', 'keep the runs of this time, such as 30d')
    .option('--max-size <SIZE>', 'keep so much, the newest first, such as 5GB')
    .option('--dry-run', 'print what would be deleted, and delete nothing')
    .option('--json', 'print it as JSON')
    .action(async (options: PruneOptions) => {
      const { pruneCommand } = await import('./looking-commands.js');
      end(await pruneCommand(options, context));
    });
}
