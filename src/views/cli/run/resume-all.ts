import { statSync } from 'node:fs';
import { knownProjects, type Environment } from '../../../journal/run-places.js';
import { type ListedRun, listRuns } from '../../../journal/list-runs.js';
import { DURATION_EXAMPLES, formatDuration, parseDuration } from '../../../model/duration.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { endOf, hasEnded, isStoppedBySystem, loopStateOf } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { printable, shellWord } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { shownPath } from '../../../app/shown-path.js';
import { detach } from './detach.js';
import { readRecord } from '../../../app/read-record.js';
import { isOwnRecord } from '../../../app/record-guard.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface ResumeAllOptions {
  readonly cwd?: string;
  readonly within?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface Interrupted {
  readonly run: ListedRun;
  readonly isPaused: boolean;
  /** Why it is not even tried. */
  readonly hindrance: string | undefined;
}

interface Left extends Interrupted {
  readonly problem?: string | undefined;
}

const DEFAULT_WITHIN = '24h';

/** Goes on, in the background, with every run of the user's that was interrupted not long ago. */
export async function resumeAllCommand(
  run: string | undefined,
  options: ResumeAllOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  if (run !== undefined || options.cwd !== undefined) throw refused('name a run or use --all, not both');
  const withinMs = withinOf(options.within ?? DEFAULT_WITHIN);
  const runs = await interruptedRuns(withinMs, context);
  const done: Left[] = [];
  for (const interrupted of runs) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: they share a machine
    const problem =
      interrupted.hindrance ?? (options.dryRun === true ? undefined : await goOn(interrupted.run, context));
    const left = { ...interrupted, problem };
    done.push(left);
    if (options.json !== true) say(left, options.dryRun === true, context);
  }
  if (options.json === true) terminal.raw(`${jsonText(done.map(jsonOf), 2)}\n`);
  else if (runs.length === 0) terminal.say(`No run was interrupted within ${formatDuration(withinMs)}.`);
  else if (options.dryRun === true) {
    const going = runs.filter(({ hindrance }) => hindrance === undefined);
    terminal.say(`Would resume ${plural(going.length, 'run')}. Nothing was started.`);
  }
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

/** Those that no one writes and that have not ended. An old one was given up by someone: it would spend unasked. */
async function interruptedRuns(withinMs: number, context: CommandContext): Promise<readonly Interrupted[]> {
  const found: Interrupted[] = [];
  for (const runs of byTree(
    knownProjects(context.environment).flatMap((project) => runsOf(project, context.environment)),
  )) {
    // oxlint-disable-next-line no-await-in-loop -- there are few
    found.push(...(await interruptedIn(runs, withinMs, context)));
  }
  return found;
}

/** The runs of each tree once, the one that was written last first. */
function byTree(runs: readonly ListedRun[]): readonly (readonly ListedRun[])[] {
  const trees = new Map<string, Map<string, ListedRun>>();
  for (const run of runs) {
    const tree = trees.get(run.workingDir) ?? new Map<string, ListedRun>();
    trees.set(run.workingDir, tree.set(run.runId, run));
  }
  return [...trees.values()].map((tree) => [...tree.values()].sort((a, b) => (isLater(a, b) ? -1 : 1)));
}

/**
 * Anyone who let another run work in the same tree has given up the one before. What came with the tree says nothing of that,
 * and does not continue unasked.
 */
async function interruptedIn(
  runs: readonly ListedRun[],
  withinMs: number,
  context: CommandContext,
): Promise<readonly Interrupted[]> {
  const found: Interrupted[] = [];
  for (const run of runs) {
    if (run.holder !== undefined || !isWithin(run, withinMs, context.now())) break;
    const known = run.snapshot?.state;
    if (known !== undefined && !wasInterrupted(known) && isOwn(run, known, context.environment)) break;
    // What `state.json` tells may be older than the journal.
    // oxlint-disable-next-line no-await-in-loop -- there are few
    const { state, problem } = await readRecord(run);
    const hindrance = isOwn(run, state, context.environment) ? undefined : (problem ?? whyNotOwn(run));
    if (wasInterrupted(state)) found.push({ run, isPaused: state.requests.pause !== undefined, hindrance });
    if (hindrance === undefined) break;
  }
  return found;
}

function isOwn({ workingDir }: ListedRun, state: RunState, environment: Environment): boolean {
  return isOwnRecord(state, workingDir, environment);
}

function whyNotOwn({ runId, workingDir }: ListedRun): string {
  const again = `pawl resume ${shortId(runId)} --cwd ${shellWord(workingDir)}`;
  return `you did not start it, or its record has changed; ${again} shows what it would execute, and asks`;
}

/** One that was begun earlier may have been continued later. */
function isLater(run: ListedRun, other: ListedRun): boolean {
  return (writtenMs(run) ?? 0) > (writtenMs(other) ?? 0);
}

function writtenMs({ journalPath, holder }: ListedRun): number | undefined {
  if (holder !== undefined) return Number.POSITIVE_INFINITY;
  return statSync(journalPath, { throwIfNoEntry: false })?.mtimeMs;
}

/** By a loss of power, or by the SIGTERM that a machine sends to all when it goes down: no one has decided to end it. */
function wasInterrupted(state: RunState): boolean {
  // An agent in code continues in its program.
  if (state.kind === 'agent') return false;
  return !hasEnded(state) || (loopStateOf(state) === 'stopped' && isStoppedBySystem(endOf(state), state.requests.stop));
}

/** A project that cannot be read does not keep the others from going on. */
function runsOf(project: string, environment: Environment): readonly ListedRun[] {
  try {
    return listRuns(project, environment);
  } catch {
    return [];
  }
}

function isWithin(run: ListedRun, withinMs: number, nowMs: number): boolean {
  const lastMs = writtenMs(run);
  return lastMs !== undefined && nowMs - lastMs <= withinMs;
}

/** Why it does not continue; undefined when it does. */
async function goOn({ runId, workingDir, snapshot }: ListedRun, context: CommandContext): Promise<string | undefined> {
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
    const lastSeq = snapshot?.seq ?? 0;
    const words = ['resume', runId, '--cwd', workingDir];
    const exitCode = await detach({ runId, workingDir, lastSeq, words }, { ...context, terminal: quiet });
    return exitCode === EXIT_CODES.goal ? undefined : said.join(' ');
  } catch (error) {
    return messageOf(error);
  }
}

function say({ run, isPaused, problem }: Left, isDry: boolean, context: CommandContext): void {
  const { terminal } = context;
  const unpause = `pawl unpause ${shortId(run.runId)} --cwd ${shellWord(run.workingDir)}`;
  const paused = isPaused ? ` and is paused as before; ${printable(unpause)} lets it work` : '';
  const what = `${shortId(run.runId)} in ${printable(shownPath(run.workingDir, context.cwd))}`;
  if (problem !== undefined) terminal.note(`pawl: ${what} cannot be resumed: ${printable(problem)}`);
  else terminal.say(`${what}${isDry ? '' : 'continues in the background'}${paused}`);
}

function jsonOf({ run, isPaused, problem }: Left) {
  return { runId: run.runId, workingDir: run.workingDir, resumed: problem === undefined, paused: isPaused, problem };
}
