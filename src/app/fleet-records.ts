import { hasEnded, waitingOf } from '../model/phase.js';
import type { FleetRun } from '../fleet/fleet-status.js';
import { type CopyMark, holdsCopies, readCopyMark } from '../journal/copied-record.js';
import { hasRun, type ListedRun, listRuns, whyRunsUnreadable } from '../journal/list-runs.js';
import { ConfigError } from '../model/errors.js';
import type { RunState } from '../model/run-state.js';
import { printable } from '../words/printable.js';
import { fleetOutcome } from './fleet-words.js';
import { type StaleCopy, staleNote } from './stale-copy.js';
import { type UnbegunRun, unbegunText } from './unbegun-run.js';
import type { NotedSurroundings } from './surroundings.js';
import { type Environment, importedFolder } from '../journal/run-places.js';
import { shortId } from '../words/short-id.js';

/** As much of an id as tells it from a number of an iteration, with or without its kind. */
const ID = /^(?:[a-z]+_)?[0-9a-hjkmnp-tv-z]{4,26}$/i;
const NUMBER = /^\d{1,9}$/;

/** The database of the fleet, when the user has one. Nothing of the fleet is loaded without. */
export function fleetUrl(environment: Environment): string | undefined {
  const { PAWL_POSTGRES: url } = environment;
  return url === '' ? undefined : url;
}

/** Where to look for a run that is named, and what is known of it when there is nothing to look at. */
export interface LocatedRun {
  /** This folder, or that which the records of the fleet are copied to, when the run is there and not here. */
  readonly folder: string;
  readonly unbegun?: UnbegunRun | undefined;
  readonly stale?: StaleCopy | undefined;
}

/** The same for one whose record is needed. Throws ConfigError when there is none, in this folder or in the fleet. */
export async function placeOfRun(
  workingDir: string,
  reference: string | undefined,
  context: NotedSurroundings,
): Promise<string> {
  const { folder, unbegun } = await lookForRun(workingDir, reference, context);
  if (unbegun !== undefined) throw nothingRecorded(unbegun, context.now());
  return folder;
}

/** For a command that needs the record. */
export function nothingRecorded(unbegun: UnbegunRun, nowMs: number): ConfigError {
  return refused(`nothing is recorded for ${unbegun.run.id}, which is in the fleet: ${unbegunText(unbegun, nowMs)}`);
}

/** Throws ConfigError when there is no such run in either place, DatabaseUnreachable when no one can tell. */
export async function lookForRun(
  workingDir: string,
  reference: string | undefined,
  context: NotedSurroundings,
  isQuiet = false,
): Promise<LocatedRun> {
  const here = { folder: workingDir };
  if (reference === undefined || !ID.test(reference) || NUMBER.test(reference)) return here;
  const [url, imported] = [fleetUrl(context.environment), importedFolder(context.environment)];
  if (url === undefined && imported === undefined) return here;
  if (holdsCopies(workingDir, context.environment) || hasRun(workingDir, reference, context.environment)) return here;
  if (imported !== undefined && hasRun(imported, reference, context.environment)) return { folder: imported };
  if (url === undefined) return here;
  const { fetchRecords } = await import('../fleet/keep-records.js');
  const { folder, place, unbegun, unreachable, fetchedAt } = await fetchRecords(url, context, [reference]);
  const isRecorded = hasRun(folder, reference, context.environment);
  const [row, ...others] = isRecorded ? [] : unbegun.filter(({ id }) => isPartOf(reference, id));
  if (unreachable !== undefined) {
    if (!isRecorded && row === undefined) throw unreachable;
    const asOf = isRecorded ? laterOf(fetchedAt, fetchedAtOf(folder, reference, context.environment)) : fetchedAt;
    const stale = { message: unreachable.message, asOf };
    if (!isQuiet) context.terminal.note(`pawl: ${printable(staleNote(stale, context.now()))}`);
    return { folder, stale, ...(row === undefined ? {} : { unbegun: { run: row, stale } }) };
  }
  if (isRecorded) return { folder };
  if (others.length > 0) {
    const ids = [row, ...others].map((each) => each?.id ?? '').slice(0, 5);
    throw refused(`${JSON.stringify(reference)} could be ${ids.join(', ')}`);
  }
  if (row !== undefined) return { folder, unbegun: { run: row } };
  // What is wrong with this folder is said by anyone who looks in it.
  if (whyRunsUnreadable(workingDir) !== undefined) return here;
  throw refused(`there is no run ${JSON.stringify(reference)} in ${workingDir}, and none in the fleet of ${place}`);
}

/** The runs of a folder, or of the fleet when there are none. */
export interface LocatedRuns {
  readonly folder: string;
  /** Those of the fleet, the newest first; undefined when those of the folder are meant. */
  readonly rows?: readonly FleetRun[] | undefined;
  /** There are more than these. */
  readonly hasMore: boolean;
  readonly stale?: StaleCopy | undefined;
}

/** The same with the records of the fleet's newest runs. */
export async function placeOfRuns(workingDir: string, context: NotedSurroundings): Promise<string> {
  const { folder, rows, hasMore, stale } = await lookForRuns(workingDir, context);
  const url = fleetUrl(context.environment);
  if (url === undefined || rows === undefined || stale !== undefined) return folder;
  const { fetchRecords } = await import('../fleet/keep-records.js');
  await fetchRecords(url, context);
  if (hasMore) context.terminal.note('there may be more: only the newest runs are searched');
  return folder;
}

/** Throws DatabaseUnreachable when there is neither a run here nor a copy of those of the fleet. */
export async function lookForRuns(workingDir: string, context: NotedSurroundings): Promise<LocatedRuns> {
  const { terminal } = context;
  const here = { folder: workingDir, hasMore: false };
  const url = fleetUrl(context.environment);
  if (url === undefined || listRuns(workingDir, context.environment).length > 0) return here;
  if (whyRunsUnreadable(workingDir) !== undefined) return here;
  const { fetchRows } = await import('../fleet/keep-records.js');
  const { folder, place, runs: rows, hasMore, unreachable, fetchedAt } = await fetchRows(url, context);
  const stale = unreachable === undefined ? undefined : { message: unreachable.message, asOf: fetchedAt };
  if (rows.length === 0) {
    if (unreachable !== undefined) throw unreachable;
    return here;
  }
  if (stale !== undefined) terminal.note(`pawl: ${printable(staleNote(stale, context.now()))}`);
  terminal.note(printable(`There are no runs in this folder; these are those of the fleet of ${place}.`));
  return { folder, rows, hasMore, stale };
}

/** As the beginning or the end of an id names a run. */
function isPartOf(reference: string, runId: string): boolean {
  const [part, id] = [reference.toLowerCase(), runId.toLowerCase()];
  return id.startsWith(part) || id.slice(id.indexOf('_') + 1).startsWith(part) || id.endsWith(part);
}

function fetchedAtOf(folder: string, reference: string, environment: Environment): string | undefined {
  const run = listRuns(folder, environment).find(({ runId }) => isPartOf(reference, runId));
  return run === undefined ? undefined : readCopyMark(run.folder)?.fetchedAt;
}

function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  return [one, other]
    .filter((at) => at !== undefined)
    .toSorted()
    .at(-1);
}

/** Keeps the copy of a run's record current for as long as someone follows it. */
export async function whileCurrent<T>(
  run: ListedRun,
  context: NotedSurroundings,
  follow: () => Promise<T>,
): Promise<T> {
  const url = fleetUrl(context.environment);
  if (url === undefined || !holdsCopies(run.workingDir, context.environment)) return follow();
  const { keepRecords } = await import('../fleet/keep-records.js');
  const onProblem = (message: string) => context.terminal.note(`pawl: ${printable(message)}; waiting until it is back`);
  const kept = keepRecords(url, { environment: context.environment, now: context.now, runs: [run.runId], onProblem });
  try {
    return await follow();
  } finally {
    await kept.close();
  }
}

/** What the fleet says of a run whose record is a copy. */
export function fleetMarkOf(
  { workingDir, folder }: Pick<ListedRun, 'workingDir' | 'folder'>,
  environment: Environment,
): CopyMark | undefined {
  return holdsCopies(workingDir, environment) ? readCopyMark(folder) : undefined;
}

/** What a report on its end says of a run of the fleet. */
export function endInFleet(
  run: ListedRun,
  environment: Environment,
): { readonly isOfFleet: boolean; readonly kept: string | undefined } {
  const mark = fleetMarkOf(run, environment);
  return { isOfFleet: mark !== undefined, kept: mark?.kept };
}

/** On a line of its own: it is to be copied. */
export function keptLines(mark: CopyMark | undefined): readonly string[] {
  return mark?.kept === undefined ? [] : ['its working tree is kept in', printable(mark.kept)];
}

/** Who has it, for people. */
export function fleetText({ state, worker, host, pid }: CopyMark): string {
  if (state !== 'running' || worker === undefined) return 'on no worker of the fleet';
  return `on the worker ${worker}${host === undefined ? '' : ` (process ${pid ?? 'unknown'} on ${host})`}`;
}

/** What a run is called that no worker has now, or is about to let go of, whatever its record says. */
export function wordInFleet(mark: CopyMark | undefined, state: Pick<RunState, 'phase'>): string | undefined {
  if (mark === undefined || mark.state === 'ended' || hasEnded(state)) return undefined;
  return mark.state === 'running' && mark.wish === undefined ? undefined : fleetOutcome(mark).word;
}

/** What can be done about a run of the fleet that has not ended. */
export function fleetCommands(runId: string, state: Pick<RunState, 'phase'>, isLive: boolean): readonly string[] {
  const id = shortId(runId);
  const waiting = waitingOf(state);
  if (!isLive) return ['pawl fleet status'];
  if (waiting?.for === 'approval') return [`pawl fleet approve ${id}`, `pawl fleet reject ${id} '<what is wrong>'`];
  if (waiting?.for === 'answer' || waiting?.for === 'person')
    return [`pawl fleet answer ${id} '<your answer>'`, `pawl fleet cancel ${id}`];
  return [`pawl watch ${id}`, `pawl fleet cancel ${id}`];
}

/** A run of the fleet has no socket here. Throws ConfigError. */
export function checkNotOfFleet(
  { workingDir, runId }: Pick<ListedRun, 'workingDir' | 'runId'>,
  environment: Environment,
): void {
  if (holdsCopies(workingDir, environment)) throw steeredElsewhere(runId);
}

/** The folder of a run that is to be steered here. Throws ConfigError for one of the fleet that has not begun. */
export async function placeOfSteered(
  workingDir: string,
  reference: string | undefined,
  context: NotedSurroundings,
): Promise<string> {
  const { folder, unbegun } = await lookForRun(workingDir, reference, context, true);
  if (unbegun !== undefined) throw steeredElsewhere(unbegun.run.id);
  if (folder !== workingDir && folder === importedFolder(context.environment)) {
    throw refused(`${reference} is an imported run: another tool ran it, so it can only be inspected`);
  }
  return folder;
}

function steeredElsewhere(runId: string): ConfigError {
  const id = shortId(runId);
  const plain = ['pause', 'unpause', 'cancel', 'approve'].map((name) => `pawl fleet ${name} ${id}`);
  const told = ['steer', 'reject', 'answer'].map((name) => `pawl fleet ${name} ${id} TEXT`);
  return refused(`${runId} is a run of the fleet, which is steered by: ${[...plain, ...told].join(', ')}`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
