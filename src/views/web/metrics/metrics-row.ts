import { policyEntries } from '../../../model/policy.js';
import { waitingOf } from '../../../model/phase.js';
import { ratesOf } from '../../../model/pipeline-counts.js';
import type { RunState, Streaks } from '../../../model/run-state.js';
import { knownCostUsd, totalSpend } from '../../../model/spend-account.js';
import type { StopClass } from '../../../model/stop-class.js';
import type { Usage } from '../../../model/usage.js';
import { judgementsNow } from '../../../stop/evaluate-policy.js';
import { itemsOf } from '../../../words/item-figures.js';
import { wholeCost } from '../../../words/spend-text.js';

/** The figures of one run for a monitoring system. What is absent is not known. */
export interface MetricsRow {
  readonly runId: string;
  /** For people: the home folder is `~`. */
  readonly project: string;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly kind?: RunState['kind'];
  /** As `pawl list` says it: also `interrupted`. */
  readonly status: string;
  readonly isLive: boolean;
  readonly startedAtMs?: number | undefined;
  /** Of the last event. */
  readonly atMs?: number | undefined;
  readonly iterations: Readonly<Record<'completed' | 'failed' | 'timed-out' | 'other', number>>;
  /** As far as it was reported. */
  readonly costUsd?: number | undefined;
  readonly isCostWhole: boolean;
  readonly tokens: Usage;
  readonly activeMs: number;
  /** The part of the context window that is used, from 0 to 1. */
  readonly contextRatio?: number | undefined;
  readonly tests?: TestCounts | undefined;
  readonly streaks: Omit<Streaks, 'lastError'>;
  readonly conditions: readonly ConditionProgress[];
  readonly reboots: number;
  readonly waitingFor?: string | undefined;
  readonly items?: ItemCounts | undefined;
}

interface TestCounts {
  readonly passed?: number | undefined;
  readonly failed?: number | undefined;
  readonly skipped?: number | undefined;
}

interface ConditionProgress {
  readonly path: string;
  readonly type: string;
  readonly class: StopClass;
  /** From 0 to 1. */
  readonly progress: number;
}

interface ItemCounts {
  readonly approved: number;
  readonly rejected: number;
  readonly failed: number;
  readonly left: number;
  readonly attempts: number;
  readonly retryRatio: number;
  readonly rejectRatio: number;
  readonly consecutiveFails: number;
}

/** What the fold does not know of a run. */
export interface RunPlace {
  readonly runId: string;
  readonly project: string;
  readonly status: string;
  readonly isLive: boolean;
}

export function metricsRow({ runId, project, status, isLive }: RunPlace, state: RunState): MetricsRow {
  const { agent, kind, spend, context, latest, streaks, reboots, activeMs } = state;
  const waiting = waitingOf(state);
  const { lastError: _lastError, ...counted } = streaks;
  return {
    runId,
    project,
    agent: agent?.name,
    model: agent?.model,
    kind,
    status,
    isLive,
    startedAtMs: momentOf(state.startedAt),
    atMs: momentOf(state.at),
    iterations: iterationsOf(state),
    costUsd: wholeCost(state) ?? (knownCostUsd(spend) || undefined),
    isCostWhole: wholeCost(state) !== undefined,
    tokens: totalSpend(spend),
    activeMs,
    contextRatio: context === undefined ? undefined : context.usedTokens / context.windowTokens,
    tests: latest.observation.tests ?? (state.iterations === 0 ? state.baseline?.tests : undefined),
    streaks: counted,
    conditions: conditionsOf(state),
    reboots,
    waitingFor: isLive ? waiting?.for : undefined,
    items: itemCounts(state),
  };
}

function momentOf(at: string | undefined): number | undefined {
  const moment = Date.parse(at ?? '');
  return Number.isNaN(moment) ? undefined : moment;
}

function iterationsOf({ history }: RunState): MetricsRow['iterations'] {
  const { successfulIterations: completed, failedIterations: failed, timedOutIterations, totalIterations } = history;
  const other = totalIterations - completed - failed - timedOutIterations;
  return { completed, failed, 'timed-out': timedOutIterations, other };
}

function conditionsOf(state: RunState): readonly ConditionProgress[] {
  const types = new Map(policyEntries(state.policy).map(({ path, condition }) => [path, condition.type]));
  return judgementsNow(state).flatMap(({ path, class: stopClass, progress }) => {
    const type = types.get(path);
    return progress === undefined || type === undefined ? [] : [{ path, type, class: stopClass, progress }];
  });
}

function itemCounts({ pipeline }: RunState): ItemCounts | undefined {
  if (pipeline === undefined) return undefined;
  const { approved, rejected, failed, attempts, consecutiveFails } = pipeline;
  const { retryRate: retryRatio, rejectRate: rejectRatio } = ratesOf(pipeline);
  const { left } = itemsOf(pipeline);
  return { approved, rejected, failed, left, attempts, retryRatio, rejectRatio, consecutiveFails };
}
