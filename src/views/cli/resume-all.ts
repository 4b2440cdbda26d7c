import { statSync } from 'node:fs';
import { knownProjects } from '../../journal/known-projects.js';
import { type ListedRun, listRuns } from '../../journal/list-runs.js';
import { DURATION_EXAMPLES, formatDuration, parseDuration } from '../../model/duration.js';
import { ConfigError, messageOf } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { isTerminal } from '../../model/loop-state.js';
import type { RunState } from '../../model/run-state.js';
import { plural } from '../../stop/figures.js';
import { printable } from '../terminal/printable.js';
import { shortId } from '../terminal/short-id.js';
import { shownPath } from '../terminal/shown-path.js';
import { detach } from './detach.js';
import { readRecord } from './read-record.js';
import type { Terminal } from './terminal.js';

export interface ResumeAllOptions {
  readonly cwd?: string;
  readonly within?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface Left {
  readonly run: ListedRun;
  readonly problem?: string | undefined;
}

const DEFAULT_WITHIN = '24h';

/** Goes on, in the background, with every run of the user's that was interrupted not long ago. */
export async function resumeAllCommand(
  run: string | undefined,
  options: ResumeAllOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (run !== undefined || options.cwd !== undefined) throw refused('either one run or --all, which looks everywhere');
  const withinMs = withinOf(options.within ?? DEFAULT_WITHIN);
  const runs = await interruptedRuns(withinMs);
  const done: Left[] = [];
  for (const run of runs) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: they share a machine
    const problem = options.dryRun === true ? undefined : await goOn(run);
    done.push({ run, problem });
    if (options.json !== true) say({ run, problem }, options.dryRun === true, terminal);
  }
  if (options.json === true) terminal.raw(`${JSON.stringify(done.map(jsonOf), null, 2)}\n`);
  else if (runs.length === 0) terminal.say(`No run was interrupted within ${formatDuration(withinMs)}.`);
  else if (options.dryRun === true)
    terminal.say(`Would go on with ${plural(runs.length, 'run')}. Nothing was started.`);
  return done.some(({ problem }) => problem !== undefined) ? EXIT_CODES.error : EXIT_CODES.goal;
}

function withinOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  const message = `${JSON.stringify(text)} is not a duration; write ${DURATION_EXAMPLES}`;
  throw refused(message, '--within');
}

function refused(message: string, place?: string): ConfigError {
  return new ConfigError([{ path: '', ...(place === undefined ? {} : { place }), message }]);
}

/** Those that nobody writes and that have not ended. An old one was given up by somebody: it would spend unasked. */
async function interruptedRuns(withinMs: number): Promise<readonly ListedRun[]> {
  const runs = knownProjects(process.env).flatMap(runsOf);
  const candidates = new Map(runs.filter((run) => isCandidate(run, withinMs)).map((run) => [run.runId, run]));
  const found: ListedRun[] = [];
  for (const run of candidates.values()) {
    // What `state.json` tells may be older than the journal.
    // oxlint-disable-next-line no-await-in-loop -- there are few
    if (wasInterrupted((await readRecord(run)).state)) found.push(run);
  }
  return found;
}

/** By a loss of power, or by the SIGTERM that a machine sends to all when it goes down: nobody has decided to end it. */
function wasInterrupted({ status, ended, operatorStop }: RunState): boolean {
  if (!isTerminal(status)) return true;
  return status === 'stopped' && ended?.class === 'operator' && operatorStop?.by === 'SIGTERM';
}

/** A project that cannot be read does not keep the others from going on. */
function runsOf(project: string): readonly ListedRun[] {
  try {
    return listRuns(project, process.env);
  } catch {
    return [];
  }
}

function isCandidate({ holder, snapshot, journalPath }: ListedRun, withinMs: number): boolean {
  if (holder !== undefined || (snapshot !== undefined && !wasInterrupted(snapshot.state))) return false;
  const writtenMs = statSync(journalPath, { throwIfNoEntry: false })?.mtimeMs;
  return writtenMs !== undefined && Date.now() - writtenMs <= withinMs;
}

/** Why it does not go on; undefined when it does. */
async function goOn({ runId, workingDir, snapshot }: ListedRun): Promise<string | undefined> {
  const said: string[] = [];
  const keep = (line = '') => void said.push(line);
  const quiet: Terminal = {
    say: () => undefined,
    raw: () => undefined,
    note: keep,
    style: (_, text) => text,
    isScreen: false,
    isInteractive: false,
    columns: 80,
  };
  try {
    const lastSeq = snapshot?.state.seq ?? 0;
    const words = ['resume', runId, '--cwd', workingDir];
    const exitCode = await detach({ runId, workingDir, lastSeq, words }, quiet);
    return exitCode === EXIT_CODES.goal ? undefined : said.join(' ');
  } catch (error) {
    return messageOf(error);
  }
}

function say({ run, problem }: Left, isDry: boolean, terminal: Terminal): void {
  const what = `${shortId(run.runId)} in ${printable(shownPath(run.workingDir))}`;
  if (problem !== undefined) terminal.note(`pawl: ${what} does not go on: ${printable(problem)}`);
  else terminal.say(isDry ? what : `${what} goes on in the background`);
}

function jsonOf({ run, problem }: Left) {
  return { runId: run.runId, workingDir: run.workingDir, resumed: problem === undefined, problem };
}
