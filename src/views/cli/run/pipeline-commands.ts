import { type Command, Option } from 'commander';
import type { CommandSetting } from '../command-context.js';
import type { PipelineRunOptions } from './pipeline-run.js';
import { circuitBreakerOption, raisingOptions } from '../config-flags.js';

const MANIFEST = 'the manifest (default: pipeline.yaml, pipeline.yml or pipeline.json)';

/** The commands for many items. */
export function addPipelineCommands(program: Command, { context, end }: CommandSetting): void {
  const pipeline = program.command('pipeline').description('process many items, and halt when too many of them fail');

  const run = pipeline
    .command('run')
    .argument('[manifest]', MANIFEST)
    .description('process the items of a manifest, or resume a run that was halted')
    .option('--resume [RUN]', 'resume this run: an id or the start of one (default: the latest)')
    .option('--only <ID...>', 'process only these items')
    .option('--redo <ID...>', 'with --resume: process these items again, although they have finished')
    .option('--accept-manifest', 'with --resume: use the manifest as it is now, whatever has changed')
    .option('--concurrency <N>', 'how many items to process at once')
    .addOption(circuitBreakerOption())
    .option('--cwd <DIR>', 'use this folder instead of the current one')
    .option('--dry-run', 'print what would be processed, and process nothing')
    .option('--json', 'print every recorded event as one line of JSON')
    .option('--quiet', 'print only the end report')
    .option('--trust', 'confirm the commands that the manifest executes')
    .option('--detach', 'run in the background; return when the run has started')
    .addOption(new Option('--detached-run <RUN>').hideHelp())
    .action(async (manifest: string | undefined, options: PipelineRunOptions) => {
      const { pipelineRunCommand } = await import('../driving-commands.js');
      end(await pipelineRunCommand(manifest, options, context));
    });
  for (const option of raisingOptions()) {
    if (option.name() === 'max-iterations') option.description = 'at most this many attempts';
    run.addOption(option);
  }
}
