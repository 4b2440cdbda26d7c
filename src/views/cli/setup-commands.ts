import type { Command } from 'commander';
import type { CheckOptions } from './check.js';
import type { CommandSetting } from './command-context.js';
import { configFlagOptions } from './config-flags.js';
import type { DoctorOptions } from './doctor.js';
import type { InitOptions } from './init.js';
import type { McpOptions } from './mcp.js';

/** The commands for before the first run, and the one for other programs: they execute nothing of the tree. */
export function addSetupCommands(program: Command, { context, end }: CommandSetting): void {
  program
    .command('init')
    .description('write pawl.yaml and PROMPT.md for this project')
    .option('-a, --agent <AGENT>', 'which agent (default: the first that is installed)')
    .option('--model <M>', 'the model, by the name that the agent has for it')
    .option('--tests <CMD>', 'the command that runs the tests; an empty one for none (default: what is found)')
    .option('--task <KIND>', 'repair what is red, or build something (build)')
    .option('--goal <C>', 'a goal in place of all_tests_pass; repeatable', collect)
    .option('--review <AGENT>', 'an agent that has to agree before a goal counts (default: none)')
    .option('--protect <GLOB>', 'files that the agent must not change; repeatable', collect)
    .option('--max-cost <USD>', 'at most this cost')
    .option('--max-iterations <N>', 'at most this many iterations')
    .option('-y, --yes', 'ask nothing')
    .option('--keep', 'leave files alone that are there already, and write the others')
    .option('--force', 'replace files that are there already')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print what was done as JSON; asks nothing')
    .action(async (options: InitOptions) => {
      const { initCommand } = await import('./driving-commands.js');
      end(await initCommand(options, context));
    });

  program
    .command('doctor')
    .description('say what is missing or odd: programs, logins, who pays, disk')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import('./driving-commands.js');
      end(await doctorCommand(options, context));
    });

  program
    .command('mcp')
    .description('serve an MCP client, such as Claude Code, over stdin and stdout')
    .option('--cwd <DIR>', 'serve the runs of that folder instead of this one')
    .option('--allow-start', 'let the agent of a loop start other runs, too')
    .action(async (options: McpOptions) => {
      const { mcpCommand } = await import('./mcp.js');
      end(await mcpCommand(options, context));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The commands that need no run. */
export function addConfigCommands(program: Command, { context, end }: CommandSetting): void {
  const check = program
    .command('check')
    .argument('[FILE]', 'a config (default: pawl.yaml, pawl.yml or pawl.json), or the manifest of a pipeline')
    .description('print the policy in sentences, and what looks wrong with it')
    .option('--config <FILE>', 'the config file, as in other commands')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .option('--fix', 'rewrite the commands of a manifest that name values as {{item.id}}')
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
