import type { Command } from 'commander';
import type { CommandSetting } from '../command-context.js';
import type { DiffOptions } from '../inspect/diff.js';
import type { PruneOptions } from './prune.js';
import type { RestoreCommandOptions } from './restore.js';

/** The commands about what runs did to the files and left on disk. */
export function addTreeCommands(program: Command, { context, end }: CommandSetting): void {
  program
    .command('diff')
    .argument('[run]', 'the id of a run or the start of one (default: the latest)')
    .argument(
      '[iteration]',
      'number of an iteration (default: the whole run); 3@green is up to when its tests were green',
    )
    .description('show what an iteration, or the whole run, changed')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--stat', 'print only how many lines of each file changed')
    .option('--name-only', 'print only the names of the files')
    .option('--json', 'print the names of the files as JSON')
    .action(async (reference: string | undefined, iteration: string | undefined, options: DiffOptions) => {
      const { diffCommand } = await import('../looking-commands.js');
      end(await diffCommand(reference, iteration, options, context));
    });

  program
    .command('restore')
    .argument('[run]', 'the id of a run or the start of one (default: the latest)')
    .argument('[iteration]', 'the number of an iteration; 0: before the first; 3@green: when its tests passed')
    .description('restore the files to their state after an iteration')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--force', 'also overwrite changes that no run recorded; Pawl keeps a checkpoint')
    .option('--undo', 'undo the last restore; repeat to undo the one before')
    .option('--to <SNAPSHOT>', 'restore a snapshot by the name that an earlier restore printed')
    .option('--into <DIR>', 'write the files into this new folder instead; the run may be of a folder that is gone')
    .option('--run <RUN>', 'the run, where it is not given as an argument')
    .option('--json', 'print what was done as JSON')
    .action(async (reference: string | undefined, iteration: string | undefined, options: RestoreCommandOptions) => {
      const { restoreCommand } = await import('../driving-commands.js');
      end(await restoreCommand(reference, iteration, options, context));
    });

  program
    .command('prune')
    .description('delete the records and snapshots of old runs')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--keep <DURATION>', 'keep the runs of this period, such as 30d')
    .option('--max-size <SIZE>', 'keep this much, newest first, such as 5GB')
    .option('--dry-run', 'print what would be deleted, and delete nothing')
    .option('--json', 'print JSON')
    .action(async (options: PruneOptions) => {
      const { pruneCommand } = await import('../looking-commands.js');
      end(await pruneCommand(options, context));
    });
}
