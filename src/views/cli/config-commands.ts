import type { Command } from 'commander';
import type { ExitCode } from '../../model/exit-code.js';
import type { CheckOptions } from './check.js';
import { configFlagOptions } from './config-flags.js';
import type { Terminal } from './terminal.js';

export interface CommandContext {
  readonly terminal: Terminal;
  /** Told the exit code of the command. */
  readonly end: (code: ExitCode) => void;
}

/** The commands that need no run. */
export function addConfigCommands(program: Command, { terminal, end }: CommandContext): void {
  const check = program
    .command('check')
    .argument('[config]', 'the config file (default: pawl.yaml, pawl.yml or pawl.json)')
    .description('print the policy in sentences, and what looks wrong with it')
    .option('--config <FILE>', 'the config file, as in other commands')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (config: string | undefined, options: CheckOptions) => {
      const { checkConfig } = await import('./driving-commands.js');
      end(await checkConfig(config, options, terminal));
    });
  for (const option of configFlagOptions()) check.addOption(option);

  program
    .command('schema')
    .description('print the JSON Schema of pawl.yaml')
    .action(async () => {
      const { printSchema } = await import('./driving-commands.js');
      printSchema(terminal);
    });

  program
    .command('demo')
    .description('watch a real loop; needs no key and spends nothing')
    .action(async () => {
      const { showDemo } = await import('./driving-commands.js');
      end(await showDemo(terminal));
    });
}
