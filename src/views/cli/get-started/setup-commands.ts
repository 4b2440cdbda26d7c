import { type Command, Argument, Option } from 'commander';
import type { CheckOptions } from './check.js';
import type { CommandSetting } from '../command-context.js';
import { configFlagOptions } from '../config-flags.js';
import type { DoctorOptions } from './doctor.js';
import type { ImportCommandOptions } from '../analyze/import.js';
import type { InitOptions } from './init.js';
import type { McpOptions } from '../other/mcp.js';
import type { SchemaName } from './schema.js';
import type { UiOptions } from '../inspect/ui.js';

/** The commands for before the first run, and the one for other programs: they execute nothing of the tree. */
export function addSetupCommands(program: Command, setting: CommandSetting): void {
  const { context, end } = setting;
  addImportCommand(program, setting);
  addUiCommand(program, setting);
  program
    .command('init')
    .description('write pawl.yaml and PROMPT.md for this project')
    .option('-a, --agent <AGENT>', 'the agent to use (default: the first one installed)')
    .option('--model <M>', 'the model, as the agent names it')
    .option('--tests <CMD>', 'the command that runs the tests; "" for none (default: what is found)')
    .option('--task <KIND>', 'repair failing tests, or build something new')
    .option('--goal <C>', 'a goal instead of all_tests_pass; repeatable', collect)
    .option('--review <AGENT>', 'an agent that must agree before the goal counts (default: none)')
    .option('--protect <GLOB>', 'files that the agent must not change; repeatable', collect)
    .option('--max-cost <USD>', 'stop at this cost')
    .option('--max-iterations <N>', 'stop after this many iterations')
    .option('-y, --yes', 'ask nothing')
    .option('--keep', 'keep existing files, and write the others')
    .option('--force', 'overwrite existing files')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print what was done as JSON; ask nothing')
    .action(async (options: InitOptions) => {
      const { initCommand } = await import('../driving-commands.js');
      end(await initCommand(options, context));
    });

  program
    .command('doctor')
    .description('check programs, logins, billing and disk space')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print JSON')
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import('../driving-commands.js');
      end(await doctorCommand(options, context));
    });

  program
    .command('mcp')
    .description('serve an MCP client such as Claude Code over stdin and stdout')
    .option('--cwd <DIR>', 'serve the runs of this folder instead of the current one')
    .option('--allow-start', 'also let the agent of a loop start runs')
    .action(async (options: McpOptions) => {
      const { mcpCommand } = await import('../other/mcp.js');
      end(await mcpCommand(options, context));
    });
  addConfigCommands(program, setting);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const SCHEMAS: readonly SchemaName[] = ['config', 'pipeline', 'pipeline-state'];

/** The commands that need no run. */
function addConfigCommands(program: Command, { context, end }: CommandSetting): void {
  const check = program
    .command('check')
    .argument('[FILE]', 'a config file (default: pawl.yaml, pawl.yml or pawl.json) or a pipeline manifest')
    .description('print the policy in plain sentences, and warn about mistakes')
    .option('--config <FILE>', 'the config file, as in other commands')
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--json', 'print JSON')
    .option('--fix', 'rewrite commands of a manifest that contain values such as {{item.id}}')
    .addOption(
      new Option('--schema [OF]', 'print a JSON Schema and check nothing: config, pipeline or pipeline-state')
        .choices(SCHEMAS)
        .preset('config'),
    )
    .action(async (config: string | undefined, options: CheckOptions) => {
      const { checkConfig, printSchema } = await import('../driving-commands.js');
      if (options.schema !== undefined) printSchema(options.schema, context.terminal);
      else end(await checkConfig(config, options, context));
    });
  for (const option of configFlagOptions()) check.addOption(option);

  program
    .command('demo')
    .description('watch a real loop; needs no API key and costs nothing')
    .action(async () => {
      const { showDemo } = await import('../driving-commands.js');
      end(await showDemo(context));
    });
}

/** Completion in a shell: the command that prints its script, and the hidden one that the script asks. */
export function addCompletionCommands(program: Command, { context }: CommandSetting): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .description('print a completion script for your shell')
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../other/completion-script.js');
      context.terminal.raw(completionScript(shell));
    });

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { completionLines } = await import('../other/completion.js');
      context.terminal.raw(`${(await completionLines(program, words, context)).join('\n')}\n`);
    });
}

/** Sessions of other tools. */
function addImportCommand(program: Command, { context, end }: CommandSetting): void {
  program
    .command('import')
    .argument('[source...]', 'files or folders (default: the sessions of Claude Code and Codex in your home)')
    .description('import sessions that other tools have recorded')
    .option('--labels <FILE>', 'how the runs ended: a CSV file of runs and resolved or unresolved')
    .addOption(
      new Option('--as <WHAT>', 'what an iteration is: each model call, or the whole session (calls or runs)')
        .choices(['calls', 'runs'])
        .default('calls'),
    )
    .option('--json', 'print JSON')
    .action(async (sources: readonly string[], options: ImportCommandOptions) => {
      const { importCommand } = await import('../analyze/import.js');
      end(await importCommand(sources, options, context));
    });
}

/** The dashboard. */
function addUiCommand(program: Command, { context, end }: CommandSetting): void {
  program
    .command('ui')
    .description('inspect and control all runs in a browser')
    .option('--port <N>', 'the port to listen on (default: any free port)')
    .option('--host <H>', 'the address to listen on', '127.0.0.1')
    .option('--allow-remote', 'allow a --host that other machines can reach')
    .option('--no-open', 'do not open the browser')
    .option('--token-file <FILE>', 'keep the token in this file, so that the address stays the same')
    .option('--postgres <URL>', 'also show the runs of this fleet (default: $PAWL_POSTGRES)')
    .option('--cwd <DIR>', 'also show the runs of this folder')
    .option('--imported', 'also show the imported runs')
    .option('--json', 'print the address as JSON')
    .action(async (options: UiOptions) => {
      const { uiCommand } = await import('../inspect/ui.js');
      end(await uiCommand(options, context));
    });
}
