import { locateRun } from '../../journal/list-runs.js';
import { tailJournal } from '../../journal/tail-journal.js';
import { ConfigError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { isTerminal } from '../../model/loop-state.js';
import { reduce } from '../../model/reduce.js';
import type { RunEvent } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { endReport } from '../terminal/end-report.js';
import { eventLines } from '../terminal/event-lines.js';
import { shownPath } from '../terminal/shown-path.js';
import { placeFlag } from './drive-run.js';
import { noSuchIteration } from './no-such-iteration.js';
import { exitCodeOfRecord, readRecord, type Reader } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

const MOST_WAITING_BYTES = 1024 * 1024;

export interface LogsOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly iteration?: string;
}

/** What the agent said and did, from the record; with `follow` until the run ends. */
export async function logsCommand(
  reference: string | undefined,
  options: LogsOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const run = locateRun(runFolderOf(options.cwd).workingDir, reference, process.env);
  const wanted = iterationOf(options.iteration);
  const { show, hasShown } = printer(wanted, options, terminal);
  const record = await readRecord(run, show, () => terminal.outlet?.isClosed() === true);
  const exitCode = exitCodeOfRecord(record, terminal);
  const checkFound = (state: RunState) => {
    const isLookedFor = wanted !== undefined && !record.isDamaged && terminal.outlet?.isClosed() !== true;
    if (isLookedFor && !hasShown()) throw noSuchIteration(run.runId, wanted, state);
  };
  if (options.follow !== true) checkFound(record.state);
  if (options.follow !== true || record.isDamaged || terminal.outlet?.isClosed() === true) return exitCode;
  let { state } = record;
  if (!isTerminal(state.status)) {
    if (run.holder === undefined) terminal.note('nobody runs it now; this waits until somebody resumes it');
    state = await follow(run.journalPath, state, show, terminal);
  }
  checkFound(state);
  if (options.json !== true && isTerminal(state.status)) {
    const ended = { runId: run.runId, state, folder: shownPath(run.folder), place: placeFlag(options.cwd) };
    for (const line of ['', ...endReport(ended, terminal)]) terminal.say(line);
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

/** Prints what is asked for, no faster than it is read. */
function printer(
  wanted: number | undefined,
  options: LogsOptions,
  terminal: Terminal,
): { readonly show: Reader; readonly hasShown: () => boolean } {
  const { outlet } = terminal;
  let current = 0;
  let isFound = false;
  let hasBegun = false;
  const say = (line: string) => {
    // What sets an iteration apart from the one before has no place at the top.
    if (hasBegun || line !== '') terminal.say(line);
    hasBegun = true;
  };
  const show: Reader = (event, before, after) => {
    if (event.type === 'iteration-started') current = event.iteration;
    isFound ||= current === wanted;
    if (wanted !== undefined && (current !== wanted || isBetween(event))) return undefined;
    if (options.json === true) terminal.raw(`${JSON.stringify(event)}\n`);
    else for (const line of eventLines(event, { before, after }, terminal)) say(line);
    return (outlet?.backlogBytes() ?? 0) > MOST_WAITING_BYTES ? outlet?.drained() : undefined;
  };
  return { show, hasShown: () => isFound };
}

/** What belongs to the run and not to the iteration before it. */
function isBetween({ type }: RunEvent): boolean {
  return type === 'run-ended' || type === 'run-resumed' || type === 'limit-extended';
}

function iterationOf(text: string | undefined): number | undefined {
  if (text === undefined || /^0*[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  const message = `must be the number of an iteration, not ${JSON.stringify(text)}`;
  throw new ConfigError([{ path: '', place: '--iteration', message }]);
}
