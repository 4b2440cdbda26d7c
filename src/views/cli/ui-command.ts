import type { Command } from 'commander';
import type { CommandSetting } from './command-context.js';
import type { UiOptions } from './ui.js';

/** The dashboard. */
export function addUiCommand(program: Command, { context, end }: CommandSetting): void {
  program
    .command('ui')
    .description('show all runs in a browser, and steer them')
    .option('--port <N>', 'listen there (default: any that is free)')
    .option('--host <H>', 'the address to listen on', '127.0.0.1')
    .option('--allow-remote', 'let --host be one that other machines can reach')
    .option('--no-open', 'do not open the browser')
    .option('--token-file <FILE>', 'keep the token there, so that the address stays the same')
    .option('--postgres <URL>', 'show the runs of this fleet, too (default: $PAWL_POSTGRES)')
    .option('--cwd <DIR>', 'show the runs of this folder, too')
    .option('--json', 'print the address as JSON')
    .action(async (options: UiOptions) => {
      const { uiCommand } = await import('./ui.js');
      end(await uiCommand(options, context));
    });
}
