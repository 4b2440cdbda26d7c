import { resolve } from 'node:path';
import type { Origins } from '../config/layer.js';
import { loadConfig, type LoadedConfig } from '../config/load-config.js';
import type { Flags } from '../config/override-table.js';
import { reviewPolicy } from '../config/review-policy.js';
import type { Environment } from '../journal/run-places.js';
import { ConfigError, formatIssue } from '../model/errors.js';
import type { ExitCode } from '../model/exit-code.js';
import type { RunSpec } from '../model/run-spec.js';
import { createSpecRun, type RunHandle } from '../run/run-handle.js';
import type { RunOptions } from '../run/run-options.js';
import { checkTreeAtStart } from '../run/start-checks.js';
import { whyNoCommit } from '../workspace/read-repository.js';
import { printable } from '../words/printable.js';
import { shortId } from '../words/short-id.js';
import { type ConfirmOptions, confirmCommands } from './confirm-commands.js';
import { nextCommandsFor } from './next-commands-for.js';
import { checkEdited, checkPrompt, withPromptFile } from './prompt-checks.js';
import { reviewAgent, reviewAlso } from './review-agent.js';
import type { NotedSurroundings, Surroundings } from './surroundings.js';
import { checkNotPromptFile, planWorktreeRun, type WorktreeRun } from './worktree-run.js';

/** A loop that is to be started. */
export interface WantedRun extends ConfirmOptions {
  /** The file of its prompt. */
  readonly file?: string | undefined;
  /** What changes the config, by the names of the flags. */
  readonly flags: Flags;
  readonly configPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** The command of its agent. */
  readonly command?: readonly string[] | undefined;
  /** A worktree of its own, by this name or by one of the run. */
  readonly worktree?: string | true | undefined;
  /** The id that another process has prepared the run under. */
  readonly preparedId?: string | undefined;
}

/** What becomes of a run that can be started. */
export interface StartedRun {
  /** Begins it. */
  readonly begin: (handle: RunHandle, spec: RunSpec) => Promise<ExitCode>;
  /** Shows the plan in place of beginning it. */
  readonly plan?: ((config: LoadedConfig, spec: RunSpec) => Promise<ExitCode>) | undefined;
}

/** Checks everything that can be checked before a loop begins, and begins it. Throws when it cannot be started. */
export async function startRun(
  wanted: WantedRun,
  { begin, plan }: StartedRun,
  context: NotedSurroundings,
): Promise<ExitCode> {
  const { environment, terminal } = context;
  const config = configOf(wanted, context);
  const { spec } = config;
  const { file, flags, worktree: worktreeName, cwd, quiet, preparedId } = wanted;
  if (file === undefined && flags['prompt'] === undefined)
    checkNotPromptFile(worktreeName, resolve(context.cwd, cwd ?? '.'));
  const warnings = [
    ...config.warnings,
    ...reviewPolicy(spec, { now: context.now(), origins: config.origins }),
    ...reviewAgent(spec, config.origins),
    ...(await reviewAlso(config, environment)),
  ];
  const warn = (message: string) => terminal.note(`warning: ${printable(message)}`);
  const runOptions = { environment, onWarning: warn, nextCommands: nextCommandsFor(context) };
  const run = await runToStart(config, runOptions, context, {
    hasWorktree: worktreeName !== undefined,
    runId: preparedId,
  });
  if (quiet !== true) for (const warning of warnings) warn(formatIssue(warning));
  const worktree = await worktreeOf(config, wanted, run.id, environment);
  if (plan !== undefined) return plan(config, worktree?.spec ?? spec);
  checkEdited(config, context.cwd);
  if (worktree === undefined) await checkTreeAtStart(spec, environment);
  const unconfirmed = await confirmCommands(config, wanted, context);
  if (unconfirmed !== undefined) return unconfirmed;
  if (worktree === undefined) return begin(run, spec);
  return worktree.enter(terminal, (own) => begin(createSpecRun(own, runOptions, run.id), own));
}

/** The run of a config. Throws when there is nothing to tell the agent, or it cannot be started. Executes nothing of the project. */
async function runToStart(
  config: LoadedConfig,
  options: RunOptions,
  context: Surroundings,
  { hasWorktree = false, runId }: { readonly hasWorktree?: boolean; readonly runId?: string | undefined } = {},
): Promise<RunHandle> {
  checkPrompt(config, context.cwd);
  if (!hasWorktree) await checkCommit(config, context.environment);
  return named(config.origins, () => createSpecRun(config.spec, options, runId));
}

/** Throws whatever keeps a run of this config from starting here, in the same words. */
export async function checkStart(config: LoadedConfig, context: Surroundings): Promise<void> {
  await runToStart(config, { environment: context.environment }, context);
  checkEdited(config, context.cwd);
  await checkTreeAtStart(config.spec, context.environment);
}

/** What is wrong with a value that a flag gave is said of the flag. */
function named<T>(origins: Origins, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.issues.map((issue) => {
        const { source, place } = origins[issue.path] ?? {};
        if (issue.place !== undefined || place === undefined || source === 'default') return issue;
        return { ...issue, place, path: source === 'flag' ? '' : issue.path };
      }),
    );
  }
}

async function worktreeOf(
  config: LoadedConfig,
  { worktree, preparedId }: WantedRun,
  runId: string,
  environment: Environment,
): Promise<WorktreeRun | undefined> {
  if (worktree === undefined) return undefined;
  const name = worktree === true ? shortId(runId).toLowerCase() : worktree;
  return planWorktreeRun(config, { runId, name, isMade: preparedId !== undefined }, environment);
}

function configOf({ file, flags, configPath, cwd: folder, command }: WantedRun, context: Surroundings): LoadedConfig {
  const cwd = resolve(context.cwd, folder ?? '.');
  if (command?.length === 0) throw new ConfigError([{ path: '', message: 'there is no command after --' }]);
  const given = withPromptFile(flags, file, cwd);
  const all = command === undefined ? given : { ...given, command };
  return loadConfig({ cwd, configPath, env: context.environment, flags: all });
}

/** Throws ConfigError when the work is to be committed and cannot be: after the first iteration it would be too late. */
async function checkCommit(
  { spec, origins }: Pick<LoadedConfig, 'spec' | 'origins'>,
  environment: Environment,
): Promise<void> {
  // With this variable the repository is elsewhere: the run checks it before its first iteration.
  if (spec.commit === 'never' || (environment['GIT_DIR'] ?? '') !== '') return;
  const why = await whyNoCommit({ folder: spec.workingDir, environment });
  if (why === undefined) return;
  const place = origins['commit']?.place;
  const message = `${spec.commit} cannot be done: ${why}; write \`commit: never\`, or run in a repository`;
  throw new ConfigError([{ path: 'commit', message, ...(place === undefined ? {} : { place }) }]);
}
