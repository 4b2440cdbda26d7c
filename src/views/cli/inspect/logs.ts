import { locateRun } from '../../../journal/list-runs.js';
import { tailJournal } from '../../../journal/tail-journal.js';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { reduce } from '../../../model/reduce.js';
import { hasEnded } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { endReport } from '../../text/end-report.js';
import { reduceItems } from '../../../model/shown-items.js';
import { shownRecord } from '../../../app/shown-record.js';
import { placeFlag } from '../../../app/run-folder.js';
import { endInFleet, fleetMarkOf, placeOfRun, whileCurrent } from '../../../app/fleet-records.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';
import { itemPrinter, iterationPrinter } from './log-printers.js';
import { noSuchIteration } from '../../../app/no-such-iteration.js';
import { exitCodeOfRecord, readRecord, type Reader, type RunRecord } from '../../../app/read-record.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { sayTitle } from '../../text/status-lines.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface LogsOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly iteration?: string;
  readonly item?: string;
}

/** What the agent said and did, from the record; with `follow` until the run ends. */
export async function logsCommand(
  reference: string | undefined,
  options: LogsOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const workingDir = await placeOfRun(runFolderOf(options.cwd, context).workingDir, reference, context);
  const run = locateRun(workingDir, reference, context.environment);
  const isPipeline = isPipelineId(run.runId);
  checkKind(run.runId, options);
  const wanted = iterationOf(options.iteration);
  const isOfFleet = fleetMarkOf(run, context.environment) !== undefined;
  const { show, hasShown } = isPipeline
    ? itemPrinter(options, terminal)
    : iterationPrinter({ iteration: wanted, json: options.json === true, isOfFleet }, terminal);
  if (options.json !== true) await sayTitle(run, terminal);
  const record = await readRecord(run, show, () => terminal.outlet?.isClosed() === true);
  const exitCode = exitCodeOfRecord(record, terminal);
  const checkFound = (state: RunState) => {
    if (record.isDamaged || terminal.outlet?.isClosed() === true || hasShown()) return;
    if (wanted !== undefined) throw noSuchIteration(run.runId, wanted, state);
    if (options.item !== undefined) throw notBegun(run.runId, options.item);
  };
  if (options.follow !== true) checkFound(record.state);
  if (options.follow !== true || record.isDamaged || terminal.outlet?.isClosed() === true) return exitCode;
  let { state, items }: Pick<RunRecord, 'state' | 'items'> = record;
  if (!hasEnded(state)) {
    if (run.holder === undefined) terminal.note('no process runs it now; waiting until it is resumed');
    const note: Reader = (event, before, after) => {
      items = reduceItems(items, event);
      return show(event, before, after);
    };
    const from = state;
    state = await whileCurrent(run, context, () => follow(run.journalPath, from, note, terminal));
  }
  checkFound(state);
  if (options.json !== true && hasEnded(state)) {
    const place = placeFlag(options.cwd);
    const ended = {
      runId: run.runId,
      state,
      items,
      folder: shownRecord(run, context.cwd),
      place,
      ...endInFleet(run, context.environment),
    };
    for (const line of ['', ...endReport(ended, context)]) terminal.say(line);
  }
  return EXIT_CODES.goal;
}

async function follow(path: string, from: RunState, show: Reader, { outlet }: Terminal): Promise<RunState> {
  let state = from;
  for await (const event of tailJournal(path, { fromSeq: from.seq + 1 })) {
    const before = state;
    state = reduce(before, event);
    await show(event, before, state);
    if (event.type === 'run-ended' || outlet?.isClosed() === true) break;
  }
  return state;
}

/** What a run is made of is what can be asked for. */
function checkKind(runId: string, { iteration, item }: LogsOptions): void {
  const isPipeline = isPipelineId(runId);
  if (isPipeline && iteration !== undefined) {
    throw refused('--iteration', `${runId} is a pipeline: it has items and no iterations; --item ID prints one`);
  }
  if (!isPipeline && item !== undefined) {
    throw refused('--item', `${runId} is a loop: it has iterations and no items; --iteration N prints one`);
  }
}

function notBegun(runId: string, item: string): ConfigError {
  return refused('--item', `nothing is recorded for ${JSON.stringify(item)} in ${runId}`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}

function iterationOf(text: string | undefined): number | undefined {
  if (text === undefined || /^0*[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  const message = `must be the number of an iteration, not ${JSON.stringify(text)}`;
  throw refused('--iteration', message);
}
