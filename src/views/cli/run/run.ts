import { resolve } from 'node:path';
import type { Origins } from '../../../config/layer.js';
import { loadConfig, type LoadedConfig } from '../../../config/load-config.js';
import { reviewPolicy } from '../../../config/review-policy.js';
import type { Environment } from '../../../journal/run-places.js';
import { ConfigError, formatIssue } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { checkTreeAtStart } from '../../../run/start-checks.js';
import { createSpecRun, type RunHandle } from '../../../run/run-handle.js';
import type { RunOptions } from '../../../run/run-options.js';
import { whyNoCommit } from '../../../workspace/read-repository.js';
import { printable } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { withBoundedTerminal } from './bounded-terminal.js';
import type { CommandContext } from '../command-context.js';
import { configFlags } from '../config-flags.js';
import { confirmCommands } from './confirm-commands.js';
import { detach } from './detach.js';
import { driveRun, nextCommandsFor } from './drive-run.js';
import { reviewAgent, reviewAlso } from '../../../app/review-agent.js';
import { showPlan } from './show-plan.js';
import { checkNotPromptFile, planWorktreeRun, type WorktreeRun } from './worktree-run.js';
import type { Flags } from '../../../config/override-table.js';
import { PLACEHOLDER } from '../../../setup/prompt-text.js';
import { quote } from '../../../model/figures.js';
import { shownPath } from '../../../app/shown-path.js';
import { hasLine, lookAtPrompt, promptFileKind } from '../../../app/prompt-file.js';

export interface RunCommandOptions {
  readonly cwd?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  /** What the project's config would have executed is confirmed. */
  readonly trust?: boolean;
  /** A worktree of its own, by this name or by one of the run. */
  readonly worktree?: string | true;
  /** The id that the run is to have: this process is the one in the background. */
  readonly detachedRun?: string;
  readonly [flag: string]: unknown;
}

/** Starts a loop and stays with it to its end. What cannot be started throws, and leaves nothing behind. */
export async function runLoopCommand(
  file: string | undefined,
  options: RunCommandOptions,
  command: readonly string[] | undefined,
  screen: CommandContext,
): Promise<ExitCode> {
  const { quiet, cwd, detachedRun } = options;
  const context = detachedRun === undefined ? screen : withBoundedTerminal(screen);
  // In the background it is for people to read later.
  const json = options.json === true && detachedRun === undefined;
  return startLoop({ file, options, command }, context, async (handle, workingDir) => {
    if (options.detach === true && detachedRun === undefined) {
      return detach({ runId: handle.id, workingDir, lastSeq: 0, json, cwd }, context);
    }
    return driveRun(handle, { workingDir, json, quiet, cwd }, context);
  });
}

/** A loop that is to be started. */
export interface WantedLoop {
  readonly file?: string | undefined;
  readonly options: RunCommandOptions;
  /** The words after `--`. */
  readonly command?: readonly string[] | undefined;
  /** False: nobody is asked whether what the config has executed is wanted; unconfirmed it is refused. */
  readonly asks?: boolean | undefined;
}

/** Checks everything that can be checked before a loop begins, and has it begin. Throws when it cannot be started. */
export async function startLoop(
  { file, options, command, asks }: WantedLoop,
  context: CommandContext,
  begin: (handle: RunHandle, workingDir: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { environment, terminal } = context;
  const config = configOf(file, options, command, context);
  const { spec } = config;
  if (file === undefined && options['prompt'] === undefined)
    checkNotPromptFile(options.worktree, resolve(context.cwd, options.cwd ?? '.'));
  const warnings = [
    ...config.warnings,
    ...reviewPolicy(spec, { now: context.now(), origins: config.origins }),
    ...reviewAgent(spec, config.origins),
    ...(await reviewAlso(config, environment)),
  ];
  const warn = (message: string) => terminal.note(`warning: ${printable(message)}`);
  const { quiet, trust, detachedRun } = options;
  const runOptions = { environment, onWarning: warn, nextCommands: nextCommandsFor(context) };
  const run = await runToStart(config, runOptions, context, {
    hasWorktree: options.worktree !== undefined,
    runId: detachedRun,
  });
  if (quiet !== true) for (const warning of warnings) warn(formatIssue(warning));
  const worktree = await worktreeOf(config, options, run.id, environment);
  if (options.dryRun === true) return showPlan({ config, spec: worktree?.spec ?? spec, json: options.json }, context);
  checkEdited(config, context.cwd);
  if (worktree === undefined) await checkTreeAtStart(spec, environment);
  const unconfirmed = await confirmCommands(config, { trust, quiet, asks }, context);
  if (unconfirmed !== undefined) return unconfirmed;
  if (worktree === undefined) return begin(run, spec.workingDir);
  return worktree.enter(terminal, (own) => begin(createSpecRun(own, runOptions, run.id), own.workingDir));
}

/** The run of a config. Throws when there is nothing to tell the agent, or it cannot be started. Executes nothing of the project. */
async function runToStart(
  config: LoadedConfig,
  options: RunOptions,
  context: CommandContext,
  { hasWorktree = false, runId }: { readonly hasWorktree?: boolean; readonly runId?: string | undefined } = {},
): Promise<RunHandle> {
  checkPrompt(config, context.cwd);
  if (!hasWorktree) await checkCommit(config, context.environment);
  return named(config.origins, () => createSpecRun(config.spec, options, runId));
}

/** Throws whatever keeps a run of this config from starting here, in the same words. */
export async function checkStart(config: LoadedConfig, context: CommandContext): Promise<void> {
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
  { worktree, detachedRun }: RunCommandOptions,
  runId: string,
  environment: Environment,
): Promise<WorktreeRun | undefined> {
  if (worktree === undefined) return undefined;
  const name = worktree === true ? shortId(runId).toLowerCase() : worktree;
  return planWorktreeRun(config, { runId, name, isMade: detachedRun !== undefined }, environment);
}

function configOf(
  file: string | undefined,
  options: RunCommandOptions,
  command: readonly string[] | undefined,
  context: CommandContext,
): LoadedConfig {
  const cwd = resolve(context.cwd, options.cwd ?? '.');
  if (command?.length === 0) throw new ConfigError([{ path: '', message: 'there is no command after --' }]);
  const given = withPromptFile(configFlags(options), file, cwd);
  const flags = command === undefined ? given : { ...given, command };
  return loadConfig({ cwd, configPath: options.config, env: context.environment, flags });
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

/** The flags with FILE among them. Throws ConfigError when it is not a file, or a flag stands where a prompt should. */
export function withPromptFile(flags: Flags, file: string | undefined, cwd: string): Flags {
  for (const text of [flags['prompt']].flat()) {
    if (typeof text === 'string' && /^--?[a-z][\w-]*(=.*)?$/i.test(text)) {
      throw refused(`-p needs the text of a prompt, and ${text} looks like a flag`);
    }
  }
  if (file === undefined) return flags;
  if (flags['prompt'] !== undefined) throw refused(`there are two prompts: the file ${quote(file)} and the text of -p`);
  if (flags['prompt-path'] !== undefined) throw refused(`there are two prompt files: ${quote(file)} and --prompt-path`);
  const kind = promptFileKind(resolve(cwd, file));
  if (kind === 'missing') throw refused(`there is no file ${quote(file)}; a prompt in words is given with -p`);
  if (kind === 'other') throw refused(`${quote(file)} is not a regular file; a prompt in words is given with -p`);
  return { ...flags, 'prompt-path': file };
}

/** Throws ConfigError when there is nothing to tell the agent. */
export function checkPrompt({ spec, origins }: Pick<LoadedConfig, 'spec' | 'origins'>, cwd: string): void {
  const { prompt, promptPath, workingDir, hooks } = spec;
  if (prompt !== undefined) {
    if (prompt.trim() === '') throw refused('the prompt is empty: there is nothing in it but blanks');
    return;
  }
  const kind = promptFileKind(promptPath);
  const isNamed = origins['prompt_path']?.source !== 'default';
  if (kind === 'missing')
    throw refused(isNamed ? `there is no prompt file ${shownPath(promptPath, cwd)}` : noPrompt(workingDir, cwd));
  if (kind === 'other') throw refused(`the prompt ${shownPath(promptPath, cwd)} is not a regular file`);
  // A hook that runs before it is read may still write it.
  const problem = hooks.before_iteration === undefined ? lookAtPrompt(promptPath) : undefined;
  if (problem !== undefined) throw refused(`the prompt ${shownPath(promptPath, cwd)} ${problem}`);
}

/** Throws ConfigError when nobody has written the task yet: an agent would be paid for nothing. */
export function checkEdited({ spec: { prompt, promptPath, hooks } }: Pick<LoadedConfig, 'spec'>, cwd: string): void {
  if (prompt !== undefined || hooks.before_iteration !== undefined || !hasLine(promptPath, PLACEHOLDER)) return;
  const what = 'replace the line "REPLACE THIS LINE" with the task first';
  throw refused(`the prompt ${shownPath(promptPath, cwd)} is as pawl init wrote it: ${what}`);
}

function noPrompt(workingDir: string, cwd: string): string {
  const where = shownPath(workingDir, cwd) === '.' ? 'here' : `in ${shownPath(workingDir, cwd)}`;
  return `there is no prompt: give one with -p TEXT, name a file, or write PROMPT.md ${where}`;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
