import { ownDaySpend } from '../model/reduce-budget.js';
import type { Claims } from '../model/claim.js';
import { formatDuration } from '../model/duration.js';
import type { CheckResult, FileChanges, GoalFacts, ProbeResult } from '../model/observation.js';
import {
  type BatchSpend,
  type PipelineState,
  type RunState,
  type SeenError,
  type Streaks,
} from '../model/run-state.js';
import { toldCostUsd, totalSpend, unpricedModels } from '../model/spend-account.js';
import type { TestResults } from '../model/test-results.js';
import { unitOf } from '../model/unit.js';
import type { Spend } from '../model/usage.js';
import type { Hold } from '../model/verdict.js';
import { utcText } from './figures.js';

/**
 * Everything a condition may read. A run gives it from its fold, a bare context from what its caller knows. What is
 * absent is unknown.
 */
export interface Facts {
  readonly iteration?: number | undefined;
  readonly startedAtMs?: number | undefined;
  readonly nowMs?: number | undefined;
  readonly activeMs?: number | undefined;
  readonly spend: Spend;
  /** Why the tokens, or the cost, are unknown although something may have been spent. */
  readonly spendProblem?: { readonly tokens: string; readonly cost: string } | undefined;
  /** Iterations charged by estimate. */
  readonly estimatedIterations?: number | undefined;
  /** Cost at another model's price, where a condition names one and there is no recorded cost. */
  readonly costAtModel?: Readonly<Record<string, number | undefined>> | undefined;
  readonly stoppedItself?: 'budget' | 'turns' | undefined;
  readonly tests?: TestResults | undefined;
  readonly baselineTests?: TestResults | undefined;
  readonly checks?: Readonly<Record<string, CheckResult>> | undefined;
  readonly probes?: Readonly<Record<string, ProbeResult>> | undefined;
  readonly files?: Pick<FileChanges, 'changedFiles' | 'changedLines'> | undefined;
  readonly streaks: Partial<Streaks>;
  readonly matches?: Readonly<Record<string, string>> | undefined;
  readonly claims?: Claims | undefined;
  readonly errors?: readonly Pick<SeenError, 'kind' | 'message'>[] | undefined;
  readonly contextPercent?: number | undefined;
  readonly operatorStop?: { readonly by: string; readonly now: boolean } | undefined;
  /** False when it is known that nobody asked; absent when it is not known. */
  readonly userSignal?: boolean | undefined;
  /** A limit of the provider's that will not be waited out. */
  readonly waitTooLong?: string | undefined;
  /** Spent today by all runs of the user on this machine. */
  readonly dayCostUsd?: number | undefined;
  readonly dayProblem?: string | undefined;
  /** Spent by all runs of the batch. */
  readonly batchCostUsd?: number | undefined;
  readonly batchProblem?: string | undefined;
  readonly blockedByHook?: RunState['blockedByHook'];
  /** A live condition cut off the iteration that ended last. */
  readonly wasCutOff?: boolean | undefined;
  readonly pipeline?: PipelineState | undefined;
  readonly holds?: Readonly<Record<string, Hold>> | undefined;
  readonly confirmations?: readonly GoalFacts[] | undefined;
  /** Another policy than the one that is asked about had the looks made: those that it lacks are unknown. */
  readonly looksOfAnother?: boolean | undefined;
}

/** The facts of a recorded run at its last event. */
export function factsOf(state: RunState): Facts {
  const { observation } = state.latest;
  const spend = totalSpend(state.spend);
  const { context } = state;
  const interruption = state.recent.at(-1)?.interruption;
  // Before an agent has run, and when none was started, there was nothing to hear: that is not silence.
  const wasHeard = state.open !== undefined || state.latest.agentRan === true || state.pipeline !== undefined;
  return {
    iteration: state.iterations,
    startedAtMs: timeOf(state.startedAt),
    nowMs: timeOf(state.at),
    activeMs: state.activeMs,
    spend,
    spendProblem: spendProblem(state, spend),
    estimatedIterations: state.spend.estimatedIterations,
    stoppedItself: state.latest.stoppedItself,
    tests: observation.tests,
    baselineTests: state.baseline?.tests,
    checks: observation.checks,
    probes: observation.probes,
    files: observation.files,
    streaks: state.streaks,
    matches: wasHeard ? state.latest.matches : undefined,
    claims: wasHeard ? (state.latest.claims ?? {}) : undefined,
    errors: wasHeard || state.latest.errors.length > 0 ? state.latest.errors : undefined,
    contextPercent: context === undefined ? undefined : percentOf(context.usedTokens, context.windowTokens),
    operatorStop: state.operatorStop,
    userSignal: state.operatorStop !== undefined,
    waitTooLong: waitTooLong(state),
    ...dayFacts(state),
    ...batchFacts(state),
    blockedByHook: state.blockedByHook,
    wasCutOff: interruption === 'limit' || interruption === 'failure',
    pipeline: state.pipeline,
    holds: state.holds,
    confirmations: observation.confirmations,
  };
}

function dayFacts(state: RunState): Pick<Facts, 'dayCostUsd' | 'dayProblem'> {
  const { day } = state;
  if (day === undefined) return { dayProblem: 'nobody has looked at what other runs spend today' };
  if (day.othersUsd === undefined)
    return { dayProblem: day.problem ?? 'what other runs have spent today is not known' };
  const own = ownDaySpend(state, day.day);
  if (own !== undefined) return { dayCostUsd: day.othersUsd + own };
  return { dayProblem: `what this run has spent today is not known${whyUnknown(state)}` };
}

function batchFacts(state: RunState): Pick<Facts, 'batchCostUsd' | 'batchProblem'> {
  const { batch } = state;
  if (batch === undefined) return { batchProblem: 'nobody has looked at what the other runs of the batch spend' };
  if (batch.othersUsd === undefined)
    return { batchProblem: batch.problem ?? 'what the other runs of the batch have spent is not known' };
  const own = ownBatchSpend(state, batch);
  if (own !== undefined) return { batchCostUsd: batch.othersUsd + own };
  return { batchProblem: `what this run has spent is not known${whyUnknown(state)}` };
}

/** Where no iteration of the run itself has told anything, one that told nothing is charged like the dearest of the batch. */
function ownBatchSpend({ spend }: RunState, { dearestUsd }: BatchSpend): number | undefined {
  const told = toldCostUsd(spend);
  if (told === undefined || spend.unknownIterations === 0) return told;
  return dearestUsd === undefined ? undefined : told + spend.unknownIterations * dearestUsd;
}

function whyUnknown(state: RunState): string {
  const why = spendProblem(state, totalSpend(state.spend))?.cost;
  return why === undefined ? '' : `: ${why}`;
}

/** A reset within `max_wait` is waited for. Without a reset time, tries are made until that time is over. */
function waitTooLong(state: RunState): string | undefined {
  const { limitedSince, spec, latest } = state;
  const since = timeOf(limitedSince);
  if (since === undefined) return undefined;
  const { limitHit } = latest;
  const said = limitHit === undefined ? 'the provider lets nothing through' : limitHit.message;
  const longestMs = spec?.maxWaitMs ?? Number.POSITIVE_INFINITY;
  const isOverload = limitHit?.kind === 'overload';
  const what = isOverload ? 'overload' : 'usage limit';
  const resetMs = timeOf(limitHit?.resetsAt) ?? 0;
  const longest = `max_wait (${formatDuration(longestMs)})`;
  if (resetMs - since > longestMs)
    return `the ${what} ends at ${utcText(resetMs)}, later than ${longest} allows: ${said}`;
  // To the last try: what passed since then, a wait or a night without power, says nothing of the limit.
  const lastedMs = (timeOf(state.recent.at(-1)?.endedAt) ?? since) - since;
  if (lastedMs < longestMs) return undefined;
  const lasts = isOverload ? 'the provider was overloaded or out of reach for' : 'the usage limit has lasted';
  return `${lasts} longer than ${longest}: ${said}`;
}

function spendProblem(state: RunState, spend: Spend): Facts['spendProblem'] {
  if (state.spend.unknownIterations > 0) {
    const untold = `an ${unitOf(state)} ended without reporting its usage`;
    return { tokens: untold, cost: untold };
  }
  if (spend.costUsd !== undefined && spend.totalTokens !== undefined) return undefined;
  const unpriced = unpricedModels(state.spend).map((name) => (name === '' ? 'usage that names no model' : name));
  const tokens = 'the agent did not report all of its usage';
  return { tokens, cost: unpriced.length > 0 ? noPriceText(unpriced, state.spend.priceListMissing) : tokens };
}

/** Why models have no price. */
export function noPriceText(models: readonly string[], priceListMissing: boolean | undefined): string {
  const text = `no price is known for ${models.join(', ')}`;
  return priceListMissing === true ? `the price list (@pydantic/genai-prices) cannot be loaded, so that ${text}` : text;
}

function percentOf(used: number, window: number): number | undefined {
  return window > 0 ? (used / window) * 100 : undefined;
}

function timeOf(iso: string | undefined): number | undefined {
  const time = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? undefined : time;
}
