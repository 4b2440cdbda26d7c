import { commitRun } from '../workspace/commit-run.js';
import { messageOf, PawlError } from '../model/errors.js';
import type { EventBodies } from '../model/run-event.js';
import type { LiveParts } from './run-host.js';
import { formatDuration } from '../model/duration.js';
import type { RunContext } from '../iteration/run-context.js';
import { list } from '../model/figures.js';
import type { StopClass } from '../model/stop-class.js';
import { bestToKeep } from '../stop/what-is-left.js';

export interface CommitMoment {
  readonly when: 'iteration' | 'end';
  readonly iteration: number;
  readonly summary: string | undefined;
  /** What was checked out before the agent began. */
  readonly headBefore?: string | undefined;
}

/**
 * Commits what the agent did, if the config asks for it at this moment, on record, and brings it to safety. Resolves with
 * why it is lost to a run that continues without it; rejects when the run must not continue.
 */
export async function recordCommit(
  parts: LiveParts,
  moment: CommitMoment,
  limits = COMMIT_LIMITS,
): Promise<string | undefined> {
  const { host, record, stop } = parts;
  const { committed, isLate } = await commitInTime(parts, moment, limits);
  // What is on no branch is not committed yet.
  const tell = (problem = committed?.error): void => {
    if (committed !== undefined) record({ type: 'work-committed', ...committed, error: problem });
  };
  if (host === undefined) {
    tell();
    return undefined;
  }
  try {
    // Elsewhere what is not committed would be lost in silence.
    if (committed?.error !== undefined) {
      // Another host has more time for it.
      if (isLate && host.leaving.aborted) {
        tell();
        return committed.error;
      }
      throw new PawlError('InvalidState', `the work could not be committed: ${committed.error}`);
    }
    // The agent may have committed by itself.
    const published = await host.publishWork(stop.run);
    tell(published?.lost);
    return published?.lost;
  } catch (error) {
    tell(committed?.error ?? messageOf(error));
    throw error;
  }
}

interface InTime {
  readonly committed: EventBodies['work-committed'] | undefined;
  /** It failed because its time was up. */
  readonly isLate: boolean;
}

function commitInTime(parts: LiveParts, moment: CommitMoment, limits: CommitLimits): Promise<InTime> {
  const { spec, runId, environment, host, warn, stop } = parts;
  const { when, iteration, summary, headBefore } = moment;
  const facts = {
    runId,
    iteration,
    summary,
    headBefore,
    environment,
    trailers: host?.commitTrailers,
    since: host?.commitsSince,
    warn,
    timeoutMs: limits.limitMs,
  };
  const over = host === undefined ? stop.run : AbortSignal.any([stop.run, host.leaving]);
  return withCommitTime(over, limits, async (signal) => {
    const committed = await commitRun(when, spec, { ...facts, signal });
    const isLate = signal.aborted && committed?.error?.includes(String(signal.reason)) === true;
    return { committed, isLate };
  });
}

/** What a commit may take: a filter or a file system of the agent's can hold git up for ever. */
const COMMIT_LIMIT_MS = 10 * 60_000;
/** What is left of it once the run is to end, or its host leaves it. */
const LAST_COMMIT_MS = 30_000;

interface CommitLimits {
  readonly limitMs: number;
  readonly lastMs: number;
}

const COMMIT_LIMITS: CommitLimits = { limitMs: COMMIT_LIMIT_MS, lastMs: LAST_COMMIT_MS };

/** Does something that ends in time; the reason of its signal are words that follow the name of what did not end. */
async function withCommitTime<T>(
  ending: AbortSignal,
  { limitMs, lastMs }: CommitLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const endIn = (ms: number, after: string) =>
    setTimeout(() => over.abort(`did not end within ${formatDuration(ms)}${after}`), ms);
  const timers = [endIn(limitMs, '')];
  const hurry = () => void timers.push(endIn(lastMs, ' after the run was to end'));
  if (ending.aborted) hurry();
  else ending.addEventListener('abort', hurry, { once: true });
  try {
    return await work(over.signal);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    ending.removeEventListener('abort', hurry);
  }
}

/**
 * Restores the files of the best result, with `keep_best`, when a run ends by a limit or gives up. A run that reached its goal
 * keeps the files that were verified. One that was stopped, rejected, or needs a person is left as it is: it may be resumed.
 * How the files were is in a snapshot, on record before anything is changed. Never rejects for the sake of files.
 */
export async function keepBest(
  { tree, journal: { state }, record, checkRecord }: RunContext,
  stopClass: StopClass | undefined,
): Promise<void> {
  const best = bestToKeep(state);
  if (best === undefined || (stopClass !== 'failure' && stopClass !== 'limit')) return;
  const { iteration } = best;
  const ended = state.recent.at(-1)?.iteration;
  if (ended === undefined || ended === iteration) return;
  let checkpoint = state.trees.at(-1) ?? '';
  const refuse = (error: string) =>
    record({ type: 'tree-restored', tree: best.tree ?? '', before: checkpoint, iteration, isBest: true, error });
  if (best.tree === undefined || tree === undefined) return refuse('there is no snapshot of these files');
  const target = best.tree;
  const request = {
    tree: target,
    recorded: [target, ...state.trees],
    onCheckpoint(before: string) {
      checkpoint = before;
      record({ type: 'tree-restored', tree: target, before, iteration, isBest: true });
      checkRecord();
    },
  };
  const outcome = await tree.history.restore({ ...request, force: false });
  // What a snapshot holds can be brought back: also what a command, or a person, wrote after the last iteration.
  const isSafe = 'unsaved' in outcome && outcome.unkept.length === 0;
  const restored = isSafe ? await tree.history.restore({ ...request, force: true }) : outcome;
  tree.disturb();
  if ('error' in restored) return refuse(restored.error);
  if ('unsaved' in restored) return refuse(`${list(restored.unkept)} would be replaced, and is in no snapshot`);
  const others = [...restored.missing, ...restored.notKept, ...restored.changed];
  if (others.length > 0) refuse(`all files but ${list(others)}, which could not be restored`);
}
