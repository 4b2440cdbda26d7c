import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import type { RunState } from '../../../model/run-state.js';
import { whyNotInPrompt } from '../../../run/command-legality.js';
import { resumeRun } from '../../../run/resume-run.js';
import type { LoadedConfig } from '../../../config/load-config.js';
import { locateRun } from '../../../journal/list-runs.js';
import { type Environment, stateHome } from '../../../journal/run-places.js';
import { unconfirmedCommands } from '../../../setup/trust.js';
import { printable } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { withBoundedTerminal } from './bounded-terminal.js';
import { checkDayCeiling, checkDayLimit, limitsOfResume } from '../../../app/day-limit.js';
import { askingHere } from './ask-to-confirm.js';
import { detach } from './detach.js';
import { nextCommandsFor } from '../../../app/next-commands-for.js';
import { driveRun } from './drive-run.js';
import { placeFlag } from '../../../app/run-folder.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';
import { pipelineRunCommand } from './pipeline-run.js';
import { raisedLimits } from './raised-limits.js';
import { RecordGuard } from '../../../app/record-guard.js';
import { placeOfSteered } from '../../../app/fleet-records.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { placeholderText } from '../control/run-and-text.js';
import { checkNotItsAgent } from '../../../app/steer-run.js';
import { checkWorktreeIsThere } from '../../../app/worktree-gone.js';
import type { CommandContext } from '../command-context.js';

export interface ResumeCommandOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly detach?: boolean;
  readonly steer?: string;
  readonly newestRules?: boolean;
  readonly acceptTests?: boolean;
  /** What a record that is not the user's own would have executed is confirmed. */
  readonly trust?: boolean;
  /** The run that is meant: this process is the one in the background. */
  readonly detachedRun?: string;
  readonly [flag: string]: unknown;
}

/** Goes on with a run that was stopped or interrupted. */
export async function resumeCommand(
  run: string | undefined,
  options: ResumeCommandOptions,
  screen: CommandContext,
): Promise<ExitCode> {
  const context = options.detachedRun === undefined ? screen : withBoundedTerminal(screen);
  const { quiet, cwd, detachedRun, steer, newestRules, acceptTests } = options;
  // In the background it is for people to read later.
  const json = options.json === true && detachedRun === undefined;
  const raise = raisedLimits(options);
  const { environment, terminal } = context;
  const folder = runFolderOf(cwd, context);
  const reference = detachedRun ?? run;
  checkWorktreeIsThere(await placeOfSteered(folder.workingDir, reference, context), reference, environment);
  const located = locateRun(folder.workingDir, reference, environment);
  const { runId } = located;
  if (isPipelineId(runId)) {
    if (steer !== undefined) throw usage('a pipeline has no prompt to steer: change its manifest');
    if (acceptTests === true) throw usage('--accept-tests: a pipeline checks no tests');
    if (newestRules === true) throw usage('--newest-rules: a pipeline keeps the rules that it was started with');
    if (options.detach === true && detachedRun === undefined) {
      const lastSeq = located.snapshot?.seq ?? 0;
      return detach({ runId, workingDir: located.workingDir, lastSeq, json, cwd }, context);
    }
    return resumePipeline(runId, { ...options, json }, screen);
  }
  if (acceptTests === true) checkNotItsAgent('accepting tests', runId, environment);
  const guard = new RecordGuard(located, environment);
  guard.checkPlace();
  const handle = await resumeRun({
    workingDir: folder.workingDir,
    run: reference,
    environment,
    agentEnv: folder.config?.spec.agent.env,
    webhook: folder.config && confirmedWebhook(folder.config, environment),
    nextCommands: nextCommandsFor(context),
    accept: (recorded) => guard.check(recorded),
    onWarning: (message) => terminal.note(`warning: ${printable(message)}`),
  });
  if (handle.state() === 'completed') {
    throw usage(`${handle.id} has reached its goal and cannot be resumed; pawl run starts a new run`);
  }
  if (steer !== undefined) checkSteer(steer, handle.runState);
  const confirming = { trust: options.trust, quiet, ...askingHere(context) };
  const unconfirmed = await guard.confirm(handle.runState, confirming, context);
  if (unconfirmed !== undefined) return unconfirmed;
  checkDayCeiling(raise, context, handle.runState.policy);
  const workingDir = handle.runState.spec?.workingDir ?? folder.workingDir;
  if (options.detach === true && detachedRun === undefined) {
    return detach({ runId: handle.id, workingDir, lastSeq: handle.runState.seq, json, cwd }, context);
  }
  const limits = limitsOfResume(raise, handle.runState, environment);
  checkDayLimit(handle.id, handle.runState, raise, limits, context);
  return driveRun(handle, { workingDir, json, quiet, cwd, raise: limits, steer, newestRules, acceptTests }, context);
}

function checkSteer(text: string, state: RunState): void {
  const problem = text.trim() === '' ? 'the text is empty' : (placeholderText(text) ?? whyNotInPrompt(text, state));
  if (problem !== undefined) throw usage(`--steer: ${problem}`);
}

function usage(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

/** Flags that only `pawl pipeline run` has are named with it. */
async function resumePipeline(
  runId: string,
  options: ResumeCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  try {
    return await pipelineRunCommand(undefined, { ...options, resume: runId }, context);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const command = `pawl pipeline run --resume ${shortId(runId)}${placeFlag(options.cwd)}`;
    throw new ConfigError(error.issues.map((issue) => ({ ...issue, message: withCommand(issue.message, command) })));
  }
}

const PIPELINE_FLAG = /(?<!pawl pipeline run.*)(?<!\S)--(?=accept-manifest|redo |circuit-breaker )/g;

function withCommand(message: string, command: string): string {
  return message.replace(PIPELINE_FLAG, () => `${command} --`);
}

/** The record does not hold it. One that has changed since someone confirmed it may be anybody's. */
function confirmedWebhook(config: LoadedConfig, environment: Environment): string | undefined {
  const unconfirmed = unconfirmedCommands(config, stateHome(environment));
  return unconfirmed.some(({ path }) => path === 'notify.webhook') ? undefined : config.spec.notify.webhook;
}
