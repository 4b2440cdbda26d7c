import { outcomeNow, shownStatus } from '../model/outcome.js';
import { realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type ListedRun, listRuns, locateRun } from '../journal/list-runs.js';
import { ConfigError } from '../model/errors.js';
import { findSockets } from '../run/control-place.js';
import { shortId } from '../words/short-id.js';
import { checkNotOfFleet, placeOfSteered } from './fleet-records.js';
import { isPipelineId } from './is-pipeline-id.js';
import { readRecord } from './read-record.js';
import type { NotedSurroundings } from './surroundings.js';
import type { Environment } from '../journal/run-places.js';

/** A run that has just begun names its socket in a moment. */
const LOOKS = 40;
const BETWEEN_LOOKS_MS = 50;

/** A run that can be reached, and how. */
export interface ReachableRun {
  readonly runId: string;
  /** Its control socket; more than one when it is not certain which. */
  readonly sockets: readonly string[];
}

/** The run that is meant, or the one that is live, with its control socket. Throws ConfigError when it has none. */
export async function findLiveRun(
  workingDir: string,
  reference: string | undefined,
  howToResume: string,
  context: NotedSurroundings,
): Promise<ReachableRun> {
  let run = liveRunOrLatest(await placeOfSteered(workingDir, reference, context), reference, context.environment);
  checkNotOfFleet(run, context.environment);
  for (let look = 0; look < LOOKS; look += 1) {
    if (run.holder === undefined) throw await notLive(run, howToResume);
    const sockets = socketsOf(run, context.environment);
    if (sockets.length > 0) return { runId: run.runId, sockets };
    // oxlint-disable-next-line no-await-in-loop -- inspected again after a while
    await pause(BETWEEN_LOOKS_MS);
    run = locateRun(workingDir, run.runId, context.environment);
  }
  throw refused(`${shortId(run.runId)} accepts no commands; ${signalHint(run)}`);
}

/** What can still be done about a live run whose socket does not answer. */
export function signalHint({ holder, runId }: ListedRun): string {
  const after = isPipelineId(runId) ? 'the attempts in progress' : 'the iteration';
  return `kill -INT ${holder?.pid ?? 'PID'} stops it after ${after}`;
}

/** Says what state a run is in that no one runs now, and what can be done with it, with these flags. */
export async function notLive(run: ListedRun, howToResume: string): Promise<ConfigError> {
  const { state } = await readRecord(run);
  const id = shortId(run.runId);
  const status = shownStatus(state, false);
  const [another, resume] = isPipelineId(run.runId)
    ? ['pawl pipeline run', 'pawl pipeline run --resume']
    : ['pawl run', 'pawl resume'];
  const next = status === 'completed' ? `${another} starts another` : `${resume} ${id}${howToResume} continues it`;
  return refused(`${id} is not running (${outcomeNow(state, false).word}); ${next}`);
}

/** The run that is meant, or without one that which is live, or the latest. Throws ConfigError when several are live. */
export function liveRunOrLatest(
  workingDir: string,
  reference: string | undefined,
  environment: Environment,
): ListedRun {
  if (reference !== undefined) return locateRun(workingDir, reference, environment);
  const live = listRuns(workingDir, environment).filter(({ holder }) => holder !== undefined);
  const here = live.filter((run) => run.workingDir === realpathSync(workingDir));
  const [only, ...others] = here.length > 0 ? here : live;
  if (only !== undefined && others.length > 0) {
    const ids = [only, ...others].map(({ runId }) => shortId(runId)).join(', ');
    throw refused(`several runs are live here: name one of ${ids}`);
  }
  return only ?? locateRun(workingDir, undefined, environment);
}

/** The one that `state.json` names, and others: one that was removed comes back, perhaps elsewhere. */
export function socketsOf(
  { runId, snapshot }: Pick<ListedRun, 'runId' | 'snapshot'>,
  environment: Environment,
): readonly string[] {
  const { control } = (snapshot ?? {}) as { readonly control?: unknown };
  return [...new Set([...(typeof control === 'string' ? [control] : []), ...findSockets(runId, environment)])];
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
