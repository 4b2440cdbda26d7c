import type { FleetRun } from '../fleet/fleet-status.js';
import { withoutCredentials } from '../workspace/repository-name.js';
import type { RunOutcome } from '../fleet/run-outcome.js';
import { agoText, clockText } from '../words/clock-text.js';
import { fleetOutcome, fleetStatus, whyText } from './fleet-words.js';
import { asOfText, type StaleCopy, staleJson } from './stale-copy.js';

/** A run of the fleet of which nothing is recorded: it waits for a worker, or failed before it could begin. */
export interface UnbegunRun {
  readonly run: FleetRun;
  readonly stale?: StaleCopy | undefined;
}

/** What can be said of it where its record is asked for: `queued since 14:30 (2h ago)`, `error at 14:30 (2h ago): …`. */
export function unbegunText({ run, stale }: UnbegunRun, nowMs: number): string {
  const { state, createdAt, startedAt, endedAt } = run;
  const at = state === 'ended' ? (endedAt ?? createdAt) : state === 'queued' ? createdAt : (startedAt ?? createdAt);
  const ago = agoText(at, nowMs);
  const when = `${state === 'ended' ? 'at' : 'since'} ${clockText(at, nowMs)}${ago === 'now' ? '' : ` (${ago})`}`;
  const why = whyText(run, nowMs);
  const seen = stale === undefined || state === 'ended' ? '' : `, as it was ${asOfText(stale, nowMs)}`;
  return `${unbegunWord({ run, stale })} ${when}${why === '' ? '' : `: ${why}`}${seen}`;
}

/** What a list calls it, whether it has begun or not. */
export function unbegunWord({ run, stale }: UnbegunRun): string {
  const { word } = fleetOutcome(run);
  return stale === undefined || run.state === 'ended' ? word : `was ${word}`;
}

/** What its row tells for machines, as a list has it, whether it has begun or not. */
export function unbegunJson({ run, stale }: UnbegunRun) {
  const { id, state, createdAt, startedAt, endedAt, ...row } = run;
  const { class: stopClass, reasons, error, kept } = (run.outcome ?? {}) as Partial<RunOutcome>;
  const isEnded = state === 'ended';
  return {
    runId: id,
    status: fleetStatus(run),
    live: !isEnded,
    ...staleJson(fleetStatus(run), isEnded, stale),
    fleet: {
      state,
      batch: row.batch,
      labels: row.labels,
      worker: row.worker,
      wish: row.wish,
      notBefore: row.notBefore,
      heldUp: row.heldUp,
      kept,
    },
    kind: 'loop',
    iterations: row.iteration,
    costUsd: row.lastSeq === 0 ? 0 : row.spentUsd,
    submittedAt: createdAt,
    startedAt,
    at: endedAt ?? startedAt ?? createdAt,
    class: stopClass,
    reasons,
    error,
    repository: withoutCredentials(row.repository),
    base: row.base,
  };
}
