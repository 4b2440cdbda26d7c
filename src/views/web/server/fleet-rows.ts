import type { FollowedFleet } from '../../../fleet/follow-fleet.js';
import type { FleetRun } from '../../../fleet/fleet-status.js';
import type { RunOutcome } from '../../../fleet/run-outcome.js';
import { STOP_CLASSES } from '../../../model/stop-class.js';
import { fleetOutcome, fleetStatus, whyText } from '../../../app/fleet-words.js';
import type { RunRow } from '../wire/api.js';

/** A fleet whose runs are shown next to those of the projects. */
export type ShownFleet = Pick<FollowedFleet, 'folder' | 'glance' | 'copy'>;

/** The rows of a fleet: those that have a record here, and those of which only the fleet knows. */
export function withFleetRows(
  recorded: readonly RunRow[],
  { rows, problem }: ReturnType<ShownFleet['glance']>,
  nowMs: number,
) {
  const known = new Map(rows.map((run) => [run.id, run]));
  const shown = new Set(recorded.map(({ runId }) => runId));
  const others = rows.filter(({ id }) => !shown.has(id)).map((run) => fleetRow(run, nowMs));
  return [...recorded.map((row) => inFleet(row, known.get(row.runId), nowMs)), ...others].map((row) =>
    problem === undefined || !row.isLive ? row : wasRow(row),
  );
}

function wasRow(row: RunRow): RunRow {
  const { word } = row.outcome;
  return { ...row, isLive: false, status: wasWord(row.status), outcome: { word: wasWord(word), tone: 'still' } };
}

/** What it is now is not known. */
export function wasWord(status: string): string {
  return `was ${status}`;
}

function fleetRow(run: FleetRun, nowMs: number): RunRow {
  const { id, state, repository, iteration, lastSeq, spentUsd, atLeastUsd, startedAt, endedAt, createdAt } = run;
  const { class: stopClass } = (run.outcome ?? {}) as Partial<RunOutcome>;
  const why = whyText(run, nowMs);
  return {
    runId: id,
    kind: 'loop',
    status: fleetStatus(run),
    outcome: fleetOutcome(run),
    isLive: state !== 'ended',
    project: repository,
    branch: lastSeq === 0 ? undefined : `pawl/${id}`,
    iterations: iteration,
    costUsd: lastSeq === 0 ? 0 : spentUsd,
    leastCostUsd: spentUsd === undefined ? atLeastUsd || undefined : undefined,
    activeMs: 0,
    startedAt: lastSeq === 0 ? undefined : startedAt,
    at: endedAt ?? startedAt ?? createdAt,
    class: STOP_CLASSES.find((known) => known === stopClass),
    why: why === '' ? undefined : why,
  };
}

/** A record does not tell that no one works on its run, or that no one will. */
function inFleet(row: RunRow, run: FleetRun | undefined, nowMs: number): RunRow {
  if (run === undefined) return row;
  const named = { ...row, project: run.repository };
  const isOver = !row.isLive && row.status !== 'interrupted';
  if (isOver || run.state === 'running') return named;
  const why = whyText(run, nowMs);
  return {
    ...named,
    status: fleetStatus(run),
    outcome: fleetOutcome(run),
    isLive: run.state !== 'ended',
    why: why === '' ? row.why : why,
  };
}
