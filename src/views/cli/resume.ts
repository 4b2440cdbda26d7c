import { ConfigError } from '../../model/errors.js';
import type { ExitCode } from '../../model/exit-code.js';
import { resumeRun } from '../../run/resume-run.js';
import { printable } from '../terminal/printable.js';
import { driveRun } from './drive-run.js';
import { raisedLimits } from './raised-limits.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

export interface ResumeCommandOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly [flag: string]: unknown;
}

/** Goes on with a run that was stopped or interrupted. */
export async function resumeCommand(
  run: string | undefined,
  options: ResumeCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { json, quiet, cwd } = options;
  const raise = raisedLimits(options);
  const environment = process.env;
  const { workingDir, config } = runFolderOf(cwd);
  const handle = await resumeRun({
    workingDir,
    run,
    environment,
    agentEnv: config?.spec.agent.env,
    onWarning: (message) => terminal.note(`warning: ${printable(message)}`),
  });
  if (handle.state() === 'completed') {
    const message = `${handle.id} is completed: it has reached its goal, and pawl run starts another`;
    throw new ConfigError([{ path: '', message }]);
  }
  return driveRun(handle, { terminal, workingDir, environment, json, quiet, cwd, raise });
}
