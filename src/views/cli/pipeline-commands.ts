import { type Command, Option } from 'commander';
import { jsonText } from '../terminal/json-text.js';
import type { CommandSetting } from './command-context.js';
import type { PipelineRunOptions } from './pipeline-run.js';
import type { PipelineValidateOptions } from './pipeline-validate.js';
import { circuitBreakerOption, raisingOptions } from './raising-options.js';

const MANIFEST = 'the manifest (default: pipeline.yaml, pipeline.yml or pipeline.json)';

/** The commands for many items. */
export function addPipelineCommands(program: Command, { context, end }: CommandSetting): void {
  const pipeline = program.command('pipeline').description('make many items; halts when too many of them fail');

  const run = pipeline
    .command('run')
    .argument('[manifest]', MANIFEST)
    .description('make the items of a manifest, or go on with a run that was halted')
    .option('--resume [RUN]', 'go on with this run: an id, or the beginning of one (default: the latest)')
    .option('--only <ID...>', 'only these items')
    .option('--redo <ID...>', 'with --resume: make these once more, although they are final')
    .option('--accept-manifest', 'with --resume: go on with the manifest as it is now, whatever has changed')
    .option('--concurrency <N>', 'how many items are worked on at a time')
    .addOption(circuitBreakerOption())
    .option('--cwd <DIR>', 'work there instead of here')
    .option('--dry-run', 'print what would be made, and make nothing')
    .option('--json', 'print every recorded event as a line of JSON')
    .option('--quiet', 'print the end report only')
    .option('--trust', 'confirm the commands that the manifest would have executed')
    .option('--detach', 'run in the background; return when the run has begun')
    .addOption(new Option('--detached-run <RUN>').hideHelp())
    .action(async (manifest: string | undefined, options: PipelineRunOptions) => {
      const { pipelineRunCommand } = await import('./driving-commands.js');
      end(await pipelineRunCommand(manifest, options, context));
    });
  for (const option of raisingOptions()) {
    if (option.name() === 'max-iterations') option.description = 'at most this many attempts';
    run.addOption(option);
  }

  pipeline
    .command('validate')
    .argument('[manifest]', MANIFEST)
    .description('check a manifest and its items; executes nothing')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (manifest: string | undefined, options: PipelineValidateOptions) => {
      const { pipelineValidateCommand } = await import('./driving-commands.js');
      end(await pipelineValidateCommand(manifest, options, context));
    });

  pipeline
    .command('schema')
    .description('print the JSON Schema of a manifest')
    .option('--state', 'that of state.json instead')
    .action(async ({ state }: { readonly state?: boolean }) => {
      const { manifestSchema, stateSchema } = await import('./driving-commands.js');
      context.terminal.raw(`${jsonText(state === true ? stateSchema() : manifestSchema(), 2)}\n`);
    });
}
