import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { endOf } from '../../../model/phase.js';
import { APPROVABLE_PATHS } from '../../../stop/evaluate-policy.js';
import type { CommandContext } from '../command-context.js';
import { liveRunOrLatest } from '../../../app/find-live-run.js';
import { readRecord } from '../../../app/read-record.js';
import { resumeCommand } from '../run/resume.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { type SteerOptions, steerCommand } from './steer-run.js';

/**
 * Lets the next iteration of an attended run begin. Of a run that ended because the original tests do not pass, or no test could be
 * counted, accepts the tests as they are now.
 */
export async function approveCommand(
  reference: string | undefined,
  options: SteerOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { workingDir } = runFolderOf(options.cwd, context);
  const rejected = await rejectedRun(workingDir, reference, context);
  if (rejected !== undefined) {
    const { cwd, json } = options;
    return resumeCommand(rejected, { cwd, json, acceptTests: true } as Parameters<typeof resumeCommand>[1], context);
  }
  return steerCommand({ name: 'approve', run: reference, commands: [{ type: 'approve' }], options }, context);
}

/** The id of the run that is meant, if its tests ended it. A run of a fleet is in another place. */
async function rejectedRun(
  workingDir: string,
  reference: string | undefined,
  { environment }: CommandContext,
): Promise<string | undefined> {
  try {
    const run = liveRunOrLatest(workingDir, reference, environment);
    if (run.holder !== undefined) return undefined;
    const { state } = await readRecord(run);
    return endOf(state)?.reasons.some(({ path }) => APPROVABLE_PATHS.includes(path)) === true ? run.runId : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
