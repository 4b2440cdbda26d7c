import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findHolders } from '../../../journal/find-holders.js';
import {
  JOURNAL_NAME,
  SNAPSHOT_NAME,
  type Environment,
  findGit,
  findSecondHome,
  type Git,
} from '../../../journal/run-places.js';
import { folderOf } from '../../../journal/disk.js';
import { readSnapshot, type StoredSnapshot } from '../../../journal/snapshot.js';
import { isOfWorktree, notedRecords, recordsIn, recordsUnder, worktreeFolders } from '../../../journal/list-runs.js';
import { isTerminal } from '../../../model/loop-state.js';
import { plural } from '../../../model/figures.js';
import { agoText } from '../../../words/clock-text.js';
import { shortIds } from '../../../words/short-id.js';
import type { Candidate, WhichRuns } from './completion-request.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';

/** The newest are offered: no one reads more, and a key press does not wait for more. */
const MOST_RUNS = 40;
/** Of other work trees' runs it takes a file to tell whose they are. */
const MOST_LOOKED_AT = 100;

const LIVE_STATES = ['running', 'paused', 'waiting', 'rebooting'] as const;

interface KnownRun {
  readonly runId: string;
  readonly folder: string;
  /** Where it took place, if that is known without a look at its file. */
  readonly workingDir?: string | undefined;
}

export interface RunRequest {
  readonly folder: string;
  readonly typed: string;
  readonly which: WhichRuns;
  readonly environment: Environment;
  readonly nowMs: number;
}

/** The runs of a folder whose ids begin as typed, newest first. Reads folders and `state.json`, opens no journal. */
export function runCandidates(wish: RunRequest): readonly Candidate[] {
  const real = realpathSync(wish.folder);
  const git = findGit(real);
  const known = knownRuns(real, git, wish.environment);
  const short = shortIds(known.map(({ runId }) => runId));
  const isLive = liveness(wish.environment);
  const found: Candidate[] = [];
  let looks = 0;
  for (const run of known.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))) {
    const word = wordFor(run.runId, short(run.runId), wish.typed);
    if (word === undefined || !hasFiles(run)) continue;
    // Of the runs of this very folder the lock alone tells which is live.
    if (wish.which === 'live' && run.workingDir !== undefined && !isLive(run.workingDir, run.runId)) continue;
    looks += 1;
    if (looks > MOST_LOOKED_AT || found.length === MOST_RUNS) break;
    const snapshot = readSnapshot(join(run.folder, SNAPSHOT_NAME));
    const place = run.workingDir ?? placeOf(snapshot, real, git);
    if (place === undefined) continue;
    const live = isLive(place, run.runId);
    if (!isWanted(wish.which, live, snapshot)) continue;
    const noun = isPipelineId(run.runId) ? 'attempt' : 'iteration';
    found.push({ word, about: aboutOf(snapshot, live, wish.nowMs, noun) });
  }
  return found;
}

function knownRuns(real: string, git: Git | undefined, environment: Environment): readonly KnownRun[] {
  const found = new Map<string, KnownRun>();
  const add = (runs: Iterable<readonly [runId: string, folder: string]>, workingDir?: string) => {
    for (const [runId, folder] of runs) {
      if (!found.has(runId)) found.set(runId, { runId, folder, workingDir });
    }
  };
  add(recordsIn(real, environment), real);
  for (const folder of git === undefined ? [] : worktreeFolders(real, git)) add(recordsIn(folder, environment));
  add(notedRecords(real, git, environment));
  add(recordsUnder(folderOf(findSecondHome(real, environment).runs)));
  return [...found.values()];
}

function hasFiles({ folder }: KnownRun): boolean {
  return existsSync(join(folder, SNAPSHOT_NAME)) || existsSync(join(folder, JOURNAL_NAME));
}

/** Undefined for a run of another work tree. */
function placeOf(snapshot: StoredSnapshot | undefined, real: string, git: Git | undefined): string | undefined {
  if (snapshot === undefined || snapshot.workingDir === real) return real;
  return git !== undefined && isOfWorktree(snapshot, real, git.workTree) ? snapshot.workingDir : undefined;
}

function liveness(environment: Environment): (place: string, runId: string) => boolean {
  const known = new Map<string, readonly string[]>();
  return (place, runId) => {
    const ids = known.get(place) ?? holderIds(place, environment);
    known.set(place, ids);
    return ids.includes(runId);
  };
}

/** A worktree may be gone while its runs are still known. */
function holderIds(place: string, environment: Environment): readonly string[] {
  return existsSync(place) ? findHolders(place, environment).map(({ runId }) => runId) : [];
}

function isWanted(which: WhichRuns, isLive: boolean, snapshot: StoredSnapshot | undefined): boolean {
  if (which === 'all') return true;
  return which === 'live' ? isLive : !isLive && snapshot?.status !== 'completed';
}

/**
 * As much of the id as the CLI shows, all of it when more was typed; with or without `loop_`, and in the case of letters
 * that was typed: shells offer only what begins with the word that is there.
 */
function wordFor(runId: string, short: string, typed: string): string | undefined {
  const bare = runId.slice(runId.indexOf('_') + 1);
  const word = [short, bare, runId].find((form) => form.toLowerCase().startsWith(typed.toLowerCase()));
  return word === undefined ? undefined : typed + word.slice(typed.length);
}

/** Nothing but words of our own and figures: what an agent could have written into the file is not shown. */
function aboutOf(snapshot: StoredSnapshot | undefined, isLive: boolean, nowMs: number, noun: string): string {
  if (snapshot === undefined) return '';
  const { status, iterations, startedAt } = snapshot;
  const liveState = LIVE_STATES.find((state) => state === status) ?? 'live';
  const shown = isTerminal(status) ? status : isLive ? liveState : 'interrupted';
  const ago = typeof startedAt === 'string' ? agoText(startedAt, nowMs) : '';
  const rounds = Number.isSafeInteger(iterations) ? plural(iterations, noun) : '';
  return [shown, rounds, ago].filter((text) => text !== '').join(', ');
}

/** A ULID begins with its time. */
function timeOf({ runId }: KnownRun): string {
  return runId.slice(runId.indexOf('_') + 1);
}
