import { shortFleetId } from '../../fleet/find-fleet-run.js';
import { type FleetMark, isFleetMirror, readFleetMark } from '../../journal/fleet-mark.js';
import { hasRun, type ListedRun, listRuns } from '../../journal/list-runs.js';
import { whyRunsUnreadable } from '../../journal/unreadable-runs.js';
import { ConfigError } from '../../model/errors.js';
import { printable } from '../terminal/printable.js';
import type { Terminal } from './terminal.js';

/** As much of an id as tells it from a number of an iteration, with or without its kind. */
const ID = /^(?:[a-z]+_)?[0-9a-hjkmnp-tv-z]{4,26}$/i;
const NUMBER = /^\d{1,9}$/;

/** The database of the fleet, when the user has one. Nothing of the fleet is loaded without. */
export function fleetUrl(): string | undefined {
  const { PAWL_POSTGRES: url } = process.env;
  return url === '' ? undefined : url;
}

/**
 * The folder to look in for a run that is named: this one, or that which the records of the fleet are copied to, when the
 * run is there and not here. Throws ConfigError when it is in neither.
 */
export async function placeOfRun(
  workingDir: string,
  reference: string | undefined,
  terminal?: Terminal,
): Promise<string> {
  const url = fleetUrl();
  if (url === undefined || reference === undefined || !ID.test(reference) || NUMBER.test(reference)) return workingDir;
  if (isFleetMirror(workingDir) || hasRun(workingDir, reference, process.env)) return workingDir;
  const { fetchRecords } = await import('../../fleet/keep-records.js');
  const { folder, place, runs, unreachable } = await fetchRecords(url, process.env, [reference]);
  if (unreachable !== undefined) {
    if (!hasRun(folder, reference, process.env)) throw unreachable;
    terminal?.note(`pawl: ${printable(unreachable.message)}; this is what was fetched before`);
    return folder;
  }
  if (hasRun(folder, reference, process.env)) return folder;
  const [begun] = runs;
  if (begun !== undefined) {
    throw refused(`${begun.runId} is ${begun.state} in the fleet, and nothing is recorded of it yet`);
  }
  // What is wrong with this folder is said by whoever looks in it.
  if (whyRunsUnreadable(workingDir) !== undefined) return workingDir;
  throw refused(`there is no run ${JSON.stringify(reference)} in ${workingDir}, and none in the fleet of ${place}`);
}

/** The folder to list: this one, or that of the fleet when there are no runs here. */
export async function placeOfRuns(workingDir: string, terminal: Terminal): Promise<string> {
  const url = fleetUrl();
  if (url === undefined || listRuns(workingDir, process.env).length > 0) return workingDir;
  if (whyRunsUnreadable(workingDir) !== undefined) return workingDir;
  const { fetchRecords } = await import('../../fleet/keep-records.js');
  const { folder, place, unreachable } = await fetchRecords(url, process.env);
  if (unreachable !== undefined) terminal.note(`pawl: ${printable(unreachable.message)}`);
  if (listRuns(folder, process.env).length === 0) return workingDir;
  terminal.note(printable(`There are no runs in this folder; these are those of the fleet of ${place}.`));
  return folder;
}

/** Keeps the copy of a run's record current for as long as somebody follows it. */
export async function whileCurrent<T>(run: ListedRun, terminal: Terminal, follow: () => Promise<T>): Promise<T> {
  const url = fleetUrl();
  if (url === undefined || !isFleetMirror(run.workingDir)) return follow();
  const { keepRecords } = await import('../../fleet/keep-records.js');
  const onProblem = (message: string) => terminal.note(`pawl: ${printable(message)}; this waits until it is back`);
  const kept = keepRecords(url, { environment: process.env, runs: [run.runId], onProblem });
  try {
    return await follow();
  } finally {
    await kept.close();
  }
}

/** What the fleet says of a run whose record is a copy. */
export function fleetMarkOf({ workingDir, folder }: Pick<ListedRun, 'workingDir' | 'folder'>): FleetMark | undefined {
  return isFleetMirror(workingDir) ? readFleetMark(folder) : undefined;
}

/** Who has it, for people. */
export function fleetText({ state, worker, host, pid }: FleetMark): string {
  if (state !== 'running' || worker === undefined) return `${state} in the fleet`;
  return `on the worker ${worker}${host === undefined ? '' : ` (process ${pid ?? 'unknown'} on ${host})`}`;
}

/** What can be done about a run of the fleet that has not ended. */
export function fleetCommands(runId: string, isLive: boolean): readonly string[] {
  const id = shortFleetId(runId);
  return isLive ? [`pawl watch ${id}`, `pawl fleet cancel ${id}`] : ['pawl fleet status'];
}

/** A run of the fleet has no socket here. Throws ConfigError. */
export function checkNotOfFleet({ workingDir, runId }: Pick<ListedRun, 'workingDir' | 'runId'>): void {
  if (!isFleetMirror(workingDir)) return;
  const id = shortFleetId(runId);
  throw refused(
    `${runId} is a run of the fleet, which is steered by: pawl fleet pause ${id}, pawl fleet unpause ${id}, pawl fleet steer ${id} TEXT, pawl fleet cancel ${id}`,
  );
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
