import { setTimeout as pause } from 'node:timers/promises';
import { findHolders } from '../../../journal/find-holders.js';
import type { CopyMark } from '../../../journal/copied-record.js';
import { locateRun } from '../../../journal/list-runs.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { shownStatus } from '../../../model/outcome.js';
import { endOf, hasEnded } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { summariseRun } from '../../../stop/run-summary.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { placeFlag } from '../../../app/run-folder.js';
import { fleetMarkOf, whileCurrent } from '../../../app/fleet-records.js';
import { liveRunOrLatest } from '../../../app/find-live-run.js';
import { exitCodeOfRecord, readRecord } from '../../../app/read-record.js';
import { runFolderOf } from '../../../app/run-folder.js';
import type { Terminal } from '../../text/terminal.js';
import { type UnbegunRun, unbegunText } from '../../../app/unbegun-run.js';
import { endOfUnbegun, waitUntilBegun } from './wait-until-begun.js';
import type { CommandContext } from '../command-context.js';

const LOOK_MS = 250;

export interface WaitOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Waits until a run has ended and its runner has let go of it; exits like the run. */
export async function waitCommand(
  reference: string | undefined,
  { cwd, json }: WaitOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const begun = await waitUntilBegun(runFolderOf(cwd, context).workingDir, reference, context);
  if (begun.unbegun !== undefined) return sayUnbegun(begun.unbegun, json === true, context);
  const { folder: workingDir } = begun;
  const run = liveRunOrLatest(workingDir, begun.reference, context.environment);
  const isHeld = () => findHolders(run.workingDir, context.environment).some(({ runId }) => runId === run.runId);
  // A lock goes away with its run or with its process, and only then can someone else continue.
  await whileCurrent(run, context, async () => {
    // oxlint-disable-next-line no-await-in-loop -- inspected again after a while
    while (run.holder !== undefined && isHeld()) await pause(LOOK_MS);
  });
  const record = await readRecord(locateRun(workingDir, run.runId, context.environment));
  const damage = exitCodeOfRecord(record, terminal);
  if (record.isDamaged) return damage;
  const { state } = record;
  const exitCode = exitCodeOfState(state);
  if (json === true) terminal.raw(`${jsonText(jsonOf(run.runId, state, exitCode))}\n`);
  else say(run.runId, state, { place: placeFlag(cwd), fleet: fleetMarkOf(run, context.environment) }, terminal);
  return exitCode;
}

function exitCodeOfState(state: RunState): ExitCode {
  const { class: stopClass, error } = endOf(state) ?? {};
  return error !== undefined || stopClass === undefined ? EXIT_CODES.error : EXIT_CODES[stopClass];
}

function say(
  runId: string,
  state: RunState,
  { place, fleet }: { readonly place: string; readonly fleet: CopyMark | undefined },
  terminal: Terminal,
): void {
  const id = shortId(runId);
  if (!hasEnded(state)) {
    const why = fleet?.error ?? 'pawl fleet status shows why';
    const next = fleet === undefined ? `pawl resume ${id}${place} continues it` : why;
    terminal.note(oneLine(`${id} was interrupted: its process is gone; ${next}`, 400));
    return;
  }
  terminal.say(oneLine(`${id}: ${summariseRun(state).sentence}`, 400));
}

/** It ended before anything was recorded of it. */
function sayUnbegun(unbegun: UnbegunRun, isJson: boolean, context: CommandContext): ExitCode {
  const { terminal } = context;
  const { id: runId } = unbegun.run;
  const { exitCode, status, class: stopClass, reasons = [], error } = endOfUnbegun(unbegun);
  if (isJson) terminal.raw(`${jsonText({ runId, status, class: stopClass, reasons, error, exitCode })}\n`);
  else terminal.say(oneLine(`${shortId(runId)} ${unbegunText(unbegun, context.now())}`, 400));
  return exitCode;
}

function jsonOf(runId: string, state: RunState, exitCode: ExitCode) {
  const ended = endOf(state);
  return {
    runId,
    status: shownStatus(state, false),
    class: ended?.class,
    reasons: ended?.reasons.map(({ message }) => message) ?? [],
    error: ended?.error,
    exitCode,
  };
}
