import type { Command } from 'commander';
import type { CheckOptions } from './check.js';
import type { CommandSetting } from './command-context.js';
import { configFlagOptions } from './config-flags.js';

/** The commands that need no run. */
export function addConfigCommands(program: Command, { context, end }: CommandSetting): void {
  const check = program
    .command('check')
    .argument('[config]', 'the config file (default: pawl.yaml, pawl.yml or pawl.json)')
    .description('print the policy in sentences, and what looks wrong with it')
    .option('--config <FILE>', 'the config file, as in other commands')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (config: string | undefined, options: CheckOptions) => {
      const { checkConfig } = await import('./driving-commands.js');
      end(await checkConfig(config, options, context));
    });
  for (const option of configFlagOptions()) check.addOption(option);

  program
    .command('schema')
    .description('print the JSON Schema of pawl.yaml')
    .action(async () => {
      const { printSchema } = await import('./driving-commands.js');
      printSchema(context.terminal);
    });

  program
    .command('demo')
    .description('watch a real loop; needs no key and spends nothing')
    .action(async () => {
      const { showDemo } = await import('./driving-commands.js');
      end(await showDemo(context));
    });
}
