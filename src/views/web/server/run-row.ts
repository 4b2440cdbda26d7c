import { outcomeAs, statusNow } from '../../../model/outcome.js';
import { userInfo } from 'node:os';
import { relative } from 'node:path';
import type { Environment } from '../../../journal/run-places.js';
import { type HistoryRun, historyRun } from '../../../model/history.js';
import { runName } from '../../../model/run-name.js';
import { endOf, hasEnded, loopStateOf } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { knownCostUsd } from '../../../model/spend-account.js';
import type { StopClass } from '../../../model/stop-class.js';
import { judgementsNow } from '../../../stop/evaluate-policy.js';
import type { Surroundings } from '../../../app/surroundings.js';
import { whyListed } from '../../../app/listed-record.js';
import { type MetricsRow, metricsRow } from '../metrics/metrics-row.js';
import { itemsOf } from '../../../words/item-figures.js';
import { wholeCost } from '../../../words/spend-text.js';
import type { RunRow } from '../wire/api.js';

/** What the list knows of a record. */
export interface RowSource {
  readonly runId: string;
  readonly workingDir: string;
  readonly isLive: boolean;
  readonly state: RunState;
  readonly problem?: string | undefined;
  readonly isDamaged: boolean;
}

/** A run in the list, and for a monitoring system. */
export interface ShownRun {
  readonly row: RunRow;
  readonly metrics: MetricsRow;
  readonly history: HistoryRun;
}

export function shownRun(source: RowSource, context: Surroundings): ShownRun {
  const row = rowOf(source, context);
  return { row, metrics: metricsRow(row, source.state), history: historyRun(source.state, row.project) };
}

function rowOf(source: RowSource, { environment, now }: Surroundings): RunRow {
  const { runId, workingDir, isLive, state, isDamaged } = source;
  const isBroken = isDamaged || (state.kind === undefined && !isLive);
  const status = statusNow(state, isLive);
  const shown = { ...source, status: status === 'stopping' ? loopStateOf(state) : status };
  const why = whyListed(shown, now());
  return {
    runId,
    kind: state.kind,
    status: isBroken ? 'damaged' : status,
    outcome: outcomeAs(isBroken ? 'damaged' : status, state),
    isLive,
    name: isBroken ? undefined : runName(state),
    project: homeShort(workingDir, environment),
    agent: state.agent?.name ?? state.spec?.agent.name,
    model: state.agent?.model,
    branch: state.spec?.worktree?.branch,
    iterations: state.iterations,
    items: itemCounts(state),
    costUsd: wholeCost(state),
    leastCostUsd: leastCost(state),
    activeMs: state.activeMs,
    startedAt: state.startedAt,
    at: state.at,
    class: endOf(state)?.class,
    why: why === '' ? undefined : why,
    closest: hasEnded(state) ? undefined : closestLimit(state),
  };
}

function itemCounts({ pipeline }: RunState): RunRow['items'] {
  if (pipeline === undefined) return undefined;
  const { items, done } = itemsOf(pipeline);
  return { done, total: items };
}

/** As far as it was reported, where that is not all. */
function leastCost(state: RunState): number | undefined {
  return wholeCost(state) === undefined ? knownCostUsd(state.spend) || undefined : undefined;
}

/** What ends a pipeline before its time are mostly failures: too many of them, one after the other or in all. */
function closestLimit(state: RunState): RunRow['closest'] {
  const isCounted = (stopClass: StopClass) =>
    stopClass === 'limit' || (stopClass === 'failure' && state.pipeline !== undefined);
  const limits = judgementsNow(state).flatMap(({ class: stopClass, progress, sentence }) =>
    isCounted(stopClass) && progress !== undefined ? [{ progress, sentence }] : [],
  );
  return limits.toSorted((a, b) => b.progress - a.progress)[0];
}

/** A folder for people. */
export function homeShort(path: string, { HOME: home = userInfo().homedir }: Environment): string {
  const below = relative(home, path);
  if (home === '' || below.startsWith('..')) return path;
  return below === '' ? '~' : `~/${below}`;
}
