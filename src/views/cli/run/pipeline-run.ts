import { join, resolve } from 'node:path';
import type { ListedRun } from '../../../journal/list-runs.js';
import { newRunId, projectRuns, realWorkingDir } from '../../../journal/run-places.js';
import { ConfigError, formatIssue } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import type { Continuation } from '../../../pipeline/continue-pipeline.js';
import { continuePipelineRun, createPipelineRun } from '../../../pipeline/create-pipeline.js';
import { haltReasonIn } from '../../../pipeline/halt-reason.js';
import type { Manifest } from '../../../pipeline/manifest/load-manifest.js';
import { manifestCommands } from '../../../pipeline/manifest/manifest-commands.js';
import type { PipelineHandle, PipelineResult } from '../../../pipeline/pipeline-handle.js';
import type { PipelinePlan } from '../../../pipeline/pipeline-plan.js';
import { restartOf, startOf } from '../../../pipeline/pipeline-start.js';
import { findRecordedPipeline } from '../../../pipeline/recorded-pipeline.js';
import { statisticsOf } from '../../../pipeline/statistics.js';
import { type LiveRecord, NOTHING_SEEN } from '../../text/live-record.js';
import { findLiveTerminal } from '../../text/live-terminal.js';
import { jsonText } from '../../text/json-text.js';
import { pipelineResumes } from '../../../words/pipeline-steps.js';
import { printable, shellWord } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { shownPath } from '../../../app/shown-path.js';
import { withBoundedTerminal } from './bounded-terminal.js';
import { askingHere } from './ask-to-confirm.js';
import type { CommandContext } from '../command-context.js';
import { confirmThese } from '../../../app/confirm-commands.js';
import { detach, type DetachRequest } from './detach.js';
import { nextCommandsFor } from '../../../app/next-commands-for.js';
import { waitForNotified } from './drive-run.js';
import { obeySignals } from './run-signals.js';
import { placeFlag } from '../../../app/run-folder.js';
import { findManifest } from './find-manifest.js';
import { pipelineFlags } from './pipeline-flags.js';
import { continuationLines, pipelinePlanLines } from './pipeline-plan-lines.js';
import { pipelineView } from './pipeline-view.js';
import { readItemsSeen } from '../../../app/read-record.js';
import { RecordGuard } from '../../../app/record-guard.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { createRunView } from './run-view.js';
import { type Terminal, unblockTerminal } from '../../text/terminal.js';

export interface PipelineRunOptions {
  readonly cwd?: string;
  /** A run to continue with; true for the latest. */
  readonly resume?: string | true;
  readonly only?: readonly string[];
  readonly redo?: readonly string[];
  readonly acceptManifest?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly trust?: boolean;
  readonly detach?: boolean;
  /** The id that the run has, or is to have: this process is the one in the background. */
  readonly detachedRun?: string;
  readonly [flag: string]: unknown;
}

/** Makes the items of a manifest and stays to the end. What cannot be started throws, and leaves nothing behind. */
export async function pipelineRunCommand(
  manifest: string | undefined,
  given: PipelineRunOptions,
  screen: CommandContext,
): Promise<ExitCode> {
  const isBackground = given.detachedRun !== undefined;
  const context = isBackground ? withBoundedTerminal(screen) : screen;
  const { environment } = context;
  // In the background it is for people to read later.
  const options = isBackground ? { ...given, json: false, detach: false } : given;
  const flags = pipelineFlags(options);
  if (options.resume !== undefined) return resumeCommand(manifest, options, flags, context);
  for (const [flag, given] of [
    ['redo', options.redo],
    ['accept-manifest', options.acceptManifest],
  ] as const) {
    if (given !== undefined) throw usage(`--${flag} is about a run that is resumed: give --resume RUN, too`);
  }
  const cwd = resolve(context.cwd, options.cwd ?? '.');
  const { only } = options;
  const start = startOf(findManifest(manifest, cwd), cwd, { environment, only, ...flags });
  const refused = await confirm(start.loaded, options, context);
  if (refused !== undefined) return refused;
  if (isToDetach(options)) {
    const { workingDir } = start.loaded.spec;
    return inBackground({ runId: newRunId('pipe'), workingDir, lastSeq: 0 }, options, context);
  }
  const plan = await start.plan();
  if (options.dryRun === true) return showPlan(plan, context.terminal, options.json);
  // In the background it has the id that was promised.
  const handle = createPipelineRun(plan, { ...runOptions(context), runId: options.detachedRun });
  return drive(handle, plan.spec.workingDir, options, context);
}

/** A dry run starts nothing that could be left alone. */
function isToDetach({ detach, dryRun }: PipelineRunOptions): boolean {
  return detach === true && dryRun !== true;
}

async function inBackground(
  run: Pick<DetachRequest, 'runId' | 'workingDir' | 'lastSeq'>,
  { cwd, json }: PipelineRunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return detach({ ...run, cwd, json, command: ['pipeline', 'run'] }, context);
}

async function resumeCommand(
  manifest: string | undefined,
  options: PipelineRunOptions,
  flags: ReturnType<typeof pipelineFlags>,
  context: CommandContext,
): Promise<ExitCode> {
  const { environment, terminal } = context;
  const reference = options.detachedRun ?? (options.resume === true ? undefined : options.resume);
  const { workingDir } = runFolderOf(options.cwd, context);
  const recorded = await findRecordedPipeline(workingDir, reference, environment);
  const { run, spec, runId } = recorded;
  const { trust, quiet } = options;
  const guard = new RecordGuard(run, environment);
  const unowned = await guard.confirm(
    recorded.state,
    { trust, quiet, ...askingHere(context) },
    context,
    resumeWords(runId, options),
  );
  if (unowned !== undefined) return unowned;
  const cwd = spec.workingDir;
  const named = manifest === undefined ? undefined : resolve(context.cwd, options.cwd ?? '.', manifest);
  const { acceptManifest, redo, only } = options;
  const restart = restartOf(recorded, { environment, manifest: named, acceptManifest, redo, only, ...flags });
  const refused = await confirm(restart.loaded, options, context);
  if (refused !== undefined) return refused;
  if (isToDetach(options)) {
    return inBackground({ runId, workingDir: cwd, lastSeq: recorded.state.seq }, options, context);
  }
  const going = await restart.plan();
  if (options.dryRun === true) {
    checkNotRunning(run);
    return showContinuation(runId, going, terminal, options.json);
  }
  const state = { ...recorded.state, runId };
  const handle = continuePipelineRun(going.plan, state, { ...runOptions(context), ...going });
  const items = await readItemsSeen(run, state.seq);
  return drive(handle, cwd, options, context, { ...NOTHING_SEEN, state: recorded.state, items });
}

/** The same again, as far as it says what is to be made. */
function resumeWords(runId: string, { only = [], redo = [], acceptManifest }: PipelineRunOptions): string {
  const wishes = [
    ...(only.length === 0 ? [] : ['--only', ...only]),
    ...(redo.length === 0 ? [] : ['--redo', ...redo]),
    ...(acceptManifest === true ? ['--accept-manifest'] : []),
  ];
  return ['pawl pipeline run --resume', shortId(runId), ...wishes.map(shellWord)].join(' ');
}

function runOptions(context: CommandContext) {
  const onWarning = (message: string) => context.terminal.note(`warning: ${printable(message)}`);
  return { environment: context.environment, onWarning, nextCommands: nextCommandsFor(context) };
}

/** A dry run lists the items, too: what lists them has to be confirmed as well. */
async function confirm(
  loaded: Manifest,
  { trust, quiet, dryRun }: PipelineRunOptions,
  context: CommandContext,
): Promise<ExitCode | undefined> {
  if (quiet !== true)
    for (const warning of loaded.warnings) context.terminal.note(`warning: ${printable(formatIssue(warning))}`);
  const all = manifestCommands(loaded);
  const commands = dryRun === true ? all.filter(({ path }) => path === 'items.command') : all;
  const { file, spec } = loaded;
  return confirmThese(
    { commands, file, workingDir: spec.workingDir, command: 'pawl pipeline run' },
    { trust, quiet, ...askingHere(context) },
    context,
  );
}

function showPlan(plan: PipelinePlan, terminal: Terminal, json = false): ExitCode {
  if (json) terminal.raw(`${jsonText(plan, 2)}\n`);
  else for (const line of pipelinePlanLines(plan, terminal)) terminal.say(line);
  return EXIT_CODES.goal;
}

function showContinuation(runId: string, going: Continuation, terminal: Terminal, json = false): ExitCode {
  const { plan, left, notes } = going;
  const { items, paths } = plan;
  const made = {
    ...plan,
    items: left.map((index) => items[index]),
    paths: paths && left.map((index) => paths[index] ?? ''),
  };
  if (json) terminal.raw(`${jsonText(made, 2)}\n`);
  else for (const line of continuationLines(runId, made, items.length, terminal)) terminal.say(line);
  for (const note of notes) terminal.note(printable(note));
  return EXIT_CODES.goal;
}

/** Its record is written by one process at a time. */
function checkNotRunning({ runId, holder }: ListedRun): void {
  if (holder !== undefined)
    throw usage(`${runId} is running (process ${holder.pid}): it can be resumed when that process has ended`);
}

async function drive(
  handle: PipelineHandle,
  workingDir: string,
  { json = false, quiet = false, cwd }: PipelineRunOptions,
  context: CommandContext,
  seen?: LiveRecord,
): Promise<ExitCode> {
  const { terminal } = context;
  const folder = shownPath(join(projectRuns(realWorkingDir(workingDir)), handle.id), context.cwd);
  const place = placeFlag(cwd);
  const own = pipelineView({ folder, place, json, seen: seen?.items }, context);
  const door = findLiveTerminal(context);
  const live = door && { ...door, seen, send: (command: LoopCommand) => handle.send(command, 'the keyboard') };
  const view = createRunView({ json, quiet, folder, place, own, live }, context);
  unblockTerminal(context.stdout, context.stderr);
  // Not before the items and the record are read: they stay, and a heap that grows little is collected too often for them.
  context.tuneEngine();
  const unsubscribe = handle.subscribe(view.onEvent);
  const ignoreSignals = obeySignals(handle, terminal, view.close);
  try {
    const result = await handle.run();
    view.end(result);
    const halted = json ? haltLine(result, context.now()) : undefined;
    if (halted !== undefined) terminal.note(halted);
    return result.exitCode;
  } finally {
    unsubscribe();
    view.close();
    ignoreSignals();
    await waitForNotified(handle, terminal);
  }
}

function usage(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

/** Story 4.4's log line: one line of JSON for anyone who reads logs; undefined for a run that was not halted. */
export function haltLine({ runId, state }: Pick<PipelineResult, 'runId' | 'state'>, nowMs: number): string | undefined {
  const reason = haltReasonIn(state);
  if (state.pipeline === undefined || reason === undefined) return undefined;
  const { condition, message } = reason;
  const [hint] = pipelineResumes(runId, state, nowMs);
  const statistics = statisticsOf(state.pipeline);
  return jsonText({ event: 'run_halted', run_id: runId, reason: condition, message, statistics, hint });
}
