import { dirname, resolve } from 'node:path';
import { locateRun } from '../../journal/list-runs.js';
import { findRunPlaces, journalPathOf } from '../../journal/run-places.js';
import { ConfigError, formatIssue } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { continuePipeline } from '../../pipeline/continue-pipeline.js';
import { continuePipelineRun, createPipelineRun } from '../../pipeline/create-pipeline.js';
import { loadManifest, type Manifest } from '../../pipeline/load-manifest.js';
import { manifestCommands } from '../../pipeline/manifest-commands.js';
import type { PipelineHandle } from '../../pipeline/pipeline-handle.js';
import type { PipelinePlan } from '../../pipeline/pipeline-plan.js';
import { planPipeline } from '../../pipeline/plan-pipeline.js';
import { findRecordedPipeline } from '../../pipeline/recorded-pipeline.js';
import { specRedactor } from '../../run/spec-redactor.js';
import { printable } from '../terminal/printable.js';
import { shownPath } from '../terminal/shown-path.js';
import { confirmThese } from './confirm-commands.js';
import { placeFlag } from './drive-run.js';
import { findManifest } from './find-manifest.js';
import { nextCommandsFor } from './next-commands-for.js';
import { pipelineFlags } from './pipeline-flags.js';
import { pipelinePlanLines, pipelineView } from './pipeline-view.js';
import { RecordGuard } from './record-guard.js';
import { runFolderOf } from './run-folder.js';
import { obeySignals } from './run-signals.js';
import { createRunView } from './run-view.js';
import type { Terminal } from './terminal.js';
import { unblockTerminal } from './unblock-terminal.js';
import { waitForNotified } from './wait-for-notified.js';

export interface PipelineRunOptions {
  readonly cwd?: string;
  /** A run to go on with; true for the latest. */
  readonly resume?: string | true;
  readonly only?: readonly string[];
  readonly redo?: readonly string[];
  readonly acceptManifest?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly trust?: boolean;
  readonly [flag: string]: unknown;
}

/** Makes the items of a manifest and stays to the end. What cannot be started throws, and leaves nothing behind. */
export async function pipelineRunCommand(
  manifest: string | undefined,
  options: PipelineRunOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const flags = pipelineFlags(options);
  if (options.resume !== undefined) return resumeCommand(manifest, options, flags, terminal);
  for (const [flag, given] of [
    ['redo', options.redo],
    ['accept-manifest', options.acceptManifest],
  ] as const) {
    if (given !== undefined) throw usage(`--${flag} is about a run that is resumed: give --resume RUN, too`);
  }
  const cwd = resolve(options.cwd ?? '.');
  const loaded = loadManifest(findManifest(manifest, cwd), { cwd, env: process.env });
  const refused = await confirm(loaded, options, terminal);
  if (refused !== undefined) return refused;
  const { concurrency, limits } = flags;
  const redact = specRedactor(loaded.spec, process.env).text;
  const plan = await planPipeline(loaded, {
    environment: process.env,
    only: options.only,
    concurrency,
    limits,
    redact,
  });
  if (options.dryRun === true) return showPlan(plan, terminal, options.json);
  const handle = createPipelineRun(plan, runOptions(terminal));
  return drive(handle, plan.spec.workingDir, options, terminal);
}

async function resumeCommand(
  manifest: string | undefined,
  options: PipelineRunOptions,
  { concurrency, limits }: ReturnType<typeof pipelineFlags>,
  terminal: Terminal,
): Promise<ExitCode> {
  const reference = options.resume === true ? undefined : options.resume;
  const { workingDir } = runFolderOf(options.cwd);
  const recorded = await findRecordedPipeline(workingDir, reference, process.env);
  const { spec, pipelineSpec, runId } = recorded;
  const { trust, quiet } = options;
  const guard = new RecordGuard(locateRun(workingDir, runId, process.env), process.env);
  const unowned = await guard.confirm(recorded.state, { trust, quiet }, terminal);
  if (unowned !== undefined) return unowned;
  const cwd = spec.workingDir;
  const named = manifest === undefined ? pipelineSpec.manifest : resolve(options.cwd ?? '.', manifest);
  const loaded = loadManifest(named, { cwd, env: process.env });
  const refused = await confirm(loaded, options, terminal);
  if (refused !== undefined) return refused;
  const redact = specRedactor(loaded.spec, process.env).text;
  const { only } = pipelineSpec;
  const now = await planPipeline(loaded, { environment: process.env, only, concurrency, redact });
  const { acceptManifest, redo } = options;
  const going = continuePipeline(recorded, now, { acceptManifest, redo, only: options.only, raise: limits, redact });
  if (options.dryRun === true) return showPlan(going.plan, terminal, options.json);
  const state = { ...recorded.state, runId };
  const handle = continuePipelineRun(going.plan, state, { ...runOptions(terminal), ...going });
  return drive(handle, cwd, options, terminal);
}

function runOptions(terminal: Terminal) {
  const onWarning = (message: string) => terminal.note(`warning: ${printable(message)}`);
  return { environment: process.env, onWarning, nextCommands: nextCommandsFor };
}

/** A dry run lists the items, too: what lists them has to be confirmed as well. */
async function confirm(
  loaded: Manifest,
  { trust, quiet, dryRun }: PipelineRunOptions,
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  if (quiet !== true)
    for (const warning of loaded.warnings) terminal.note(`warning: ${printable(formatIssue(warning))}`);
  const all = manifestCommands(loaded);
  const commands = dryRun === true ? all.filter(({ path }) => path === 'items.command') : all;
  const { file, spec } = loaded;
  return confirmThese(
    { commands, file, workingDir: spec.workingDir, command: 'pawl pipeline run' },
    { trust, quiet },
    terminal,
  );
}

function showPlan(plan: PipelinePlan, terminal: Terminal, json = false): ExitCode {
  if (json) terminal.raw(`${JSON.stringify(plan, null, 2)}\n`);
  else for (const line of pipelinePlanLines(plan, terminal)) terminal.say(line);
  return EXIT_CODES.goal;
}

async function drive(
  handle: PipelineHandle,
  workingDir: string,
  { json = false, quiet = false, cwd }: PipelineRunOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const environment = process.env;
  const folder = shownPath(dirname(journalPathOf(findRunPlaces(workingDir, handle.id, environment))));
  const place = placeFlag(cwd);
  const own = pipelineView({ terminal, folder, place, json });
  const view = createRunView({ terminal, json, quiet, environment, folder, place, own });
  unblockTerminal();
  const unsubscribe = handle.subscribe(view.onEvent);
  const ignoreSignals = obeySignals(handle, terminal, view.close);
  try {
    const result = await handle.run();
    view.end(result);
    own.sayHalt(result);
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
