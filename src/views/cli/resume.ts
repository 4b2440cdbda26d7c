import type { StopCondition } from '../../model/condition.js';
import { ConfigError } from '../../model/errors.js';
import type { ExitCode } from '../../model/exit-code.js';
import type { Policy } from '../../model/policy.js';
import { resumeRun } from '../../run/resume-run.js';
import { printable } from '../terminal/printable.js';
import { driveRun } from './drive-run.js';
import { raisedLimits } from './raised-limits.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';
import { checkWorktreeIsThere } from './worktree-gone.js';

export interface ResumeCommandOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly detach?: boolean;
  /** The run that is meant: this process is the one in the background. */
  readonly detachedRun?: string;
  readonly [flag: string]: unknown;
}

/** Goes on with a run that was stopped or interrupted. */
export async function resumeCommand(
  run: string | undefined,
  options: ResumeCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { quiet, cwd, detachedRun } = options;
  // In the background it is for people to read later.
  const json = options.json === true && detachedRun === undefined;
  const raise = raisedLimits(options);
  const environment = process.env;
  const folder = runFolderOf(cwd);
  const reference = detachedRun ?? run;
  checkWorktreeIsThere(folder.workingDir, reference);
  const handle = await resumeRun({
    workingDir: folder.workingDir,
    run: reference,
    environment,
    agentEnv: folder.config?.spec.agent.env,
    onWarning: (message) => terminal.note(`warning: ${printable(message)}`),
  });
  if (handle.state() === 'completed') {
    const message = `${handle.id} is completed: it has reached its goal, and pawl run starts another`;
    throw new ConfigError([{ path: '', message }]);
  }
  const workingDir = handle.runState.spec?.workingDir ?? folder.workingDir;
  if (options.detach === true && detachedRun === undefined) {
    const { detach } = await import('./detach.js');
    return detach({ runId: handle.id, workingDir, lastSeq: handle.runState.seq, json, cwd }, terminal);
  }
  const limits = [...raise, ...dayLimit(folder.config?.spec.policy, handle.runState.policy)];
  return driveRun(handle, { terminal, workingDir, environment, json, quiet, cwd, raise: limits });
}

/** The user's limit over all runs of a day is what it is now, not what it was when the run began. */
function dayLimit(now: Policy | undefined, recorded: Policy): readonly StopCondition[] {
  const of = (policy: Policy | undefined) => policy?.limits.find((limit) => limit.type === 'max_cost_per_day');
  const limit = of(now);
  return limit === undefined || limit.usd === of(recorded)?.usd ? [] : [limit];
}
