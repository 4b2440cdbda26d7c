import { doneClaimOf } from '../model/claim.js';
import { openIteration } from '../model/phase.js';
import { isTreeChanged } from '../model/progress.js';
import { isQuiet, hasOwnChanges, startOf } from '../model/work.js';
import { isAnswerExpected, unansweredText } from '../model/questions.js';
import { ownDaySpend } from '../model/reduce-lifetime.js';
import type { Facts } from '../model/judging/facts.js';
import type { BatchSpend, RunState } from '../model/run-state.js';
import { reportedCostUsd, totalSpend, unpricedModels } from '../model/spend-account.js';
import { pricedSoFar } from '../model/spend-lanes.js';
import { testsRan } from '../model/test-results.js';
import { unitOf } from '../model/figures.js';
import type { Spend } from '../model/usage.js';
import { waitTooLong } from '../model/wait-policy.js';

/** The facts of a recorded run at its last event. */
export function factsOf(state: RunState): Facts {
  const { observation } = state.latest;
  const priced = pricedSoFar(state);
  const spend = { ...totalSpend(state.spend), ...costOf(priced) };
  const { context } = state;
  const interruption = state.recent.at(-1)?.interruption;
  // Before an agent has run, and when none was started, there was no output: that is not silence.
  const hasAgentWorked =
    openIteration(state) !== undefined || state.latest.agentRan === true || state.pipeline !== undefined;
  return {
    rules: state.rules ?? {},
    iteration: state.iterations,
    startedAtMs: timeOf(state.startedAt),
    nowMs: timeOf(state.at),
    activeMs: state.activeMs,
    spend,
    spendProblem: spendProblem(state, spend),
    estimatedIterations: state.spend.estimatedIterations,
    stoppedItself: state.latest.stoppedItself,
    tests: observation.tests,
    baselineTests: startOf(state).tests,
    original: observation.original,
    originals: state.originals,
    review: reviewFacts(state),
    isAccepted: state.accepted?.iteration === state.iterations,
    checks: observation.checks,
    probes: observation.probes,
    baselineProbes: state.baseline?.probes,
    metrics: state.metrics,
    newContent: state.latest.newContent,
    isIdle: isIdle(state),
    isQuiet: quietness(state),
    differsFromStart: differsFromStart(state),
    agentChangedSomething: hasOwnChanges(state),
    files: observation.files,
    streaks: state.streaks,
    matches: hasAgentWorked ? state.latest.matches : undefined,
    claims: hasAgentWorked ? (state.latest.claims ?? {}) : undefined,
    saysDone: hasAgentWorked ? doneClaimOf(state.latest) : undefined,
    errors: hasAgentWorked || state.latest.errors.length > 0 ? state.latest.errors : undefined,
    contextPercent: context === undefined ? undefined : percentOf(context.usedTokens, context.windowTokens),
    toolUse: state.toolUse,
    operatorStop: state.requests.stop,
    userSignal: state.requests.stop !== undefined,
    waitTooLong: waitTooLong(state),
    isAnswerExpected: isAnswerExpected(state),
    unanswered: unansweredText(state),
    ...dayFacts(priced),
    ...batchFacts(priced),
    blockedByHook: state.blockedByHook,
    wasCutOff: interruption === 'limit' || interruption === 'failure',
    pipeline: state.pipeline,
    holds: state.holds,
    confirmations: observation.confirmations,
  };
}

function costOf({ spend }: RunState): Pick<Spend, 'costUsd'> {
  const { costUsd } = totalSpend(spend);
  return costUsd === undefined ? {} : { costUsd };
}

/** The same tree is the same work. Where it is not known, and where the work is words, each iteration has its own. */
function reviewFacts(state: RunState): Facts['review'] {
  const { spec, review, iterations, trees, kind } = state;
  if (spec?.review === undefined) return undefined;
  const { when, every } = spec.review;
  const { last } = review ?? {};
  const isOfWords = kind === 'agent' && hasOwnChanges(state) === false;
  const isByIteration = isOfWords || last?.tree === undefined;
  const isCurrent = last !== undefined && (isByIteration ? last.iteration === iterations : last.tree === trees.at(-1));
  return { ...review, when, every, isCurrent, isOfWords };
}

function isIdle({ recent, latest, streaks }: RunState): boolean | undefined {
  const { observation, errors } = latest;
  const isDisturbed =
    recent.at(-1)?.outcome !== 'completed' ||
    errors.length > 0 ||
    streaks.denials > 0 ||
    (observation.request !== undefined && observation.request.kind !== 'none');
  const isChanged = isTreeChanged(observation);
  return isDisturbed ? false : isChanged === undefined ? undefined : !isChanged;
}

function quietness({ recent, latest }: RunState): Facts['isQuiet'] {
  const last = recent.at(-1);
  const quiet = last === undefined ? undefined : isQuiet(last.outcome, latest, latest.observation);
  return quiet === true && latest.observation.closing === 'finished' ? 'finished' : quiet;
}

function differsFromStart({ baseline, latest, trees }: RunState): boolean | undefined {
  const [before, now] = [baseline?.tests, latest.observation.tests];
  if (before !== undefined && now !== undefined && testsRan(before) !== testsRan(now)) return true;
  const start = baseline?.tree ?? baseline?.fingerprint?.after;
  return start === undefined ? undefined : trees.at(-1) !== start;
}

function dayFacts(state: RunState): Pick<Facts, 'dayCostUsd' | 'dayProblem'> {
  const { day } = state;
  if (day === undefined) return { dayProblem: 'what other runs spend today has not been checked yet' };
  if (day.othersUsd === undefined)
    return { dayProblem: day.problem ?? 'what other runs have spent today is not known' };
  const own = ownDaySpend(state, day.day);
  if (own !== undefined) return { dayCostUsd: day.othersUsd + own };
  return { dayProblem: `what this run has spent today is not known${whyUnknown(state)}` };
}

function batchFacts(state: RunState): Pick<Facts, 'batchCostUsd' | 'batchProblem'> {
  const { batch } = state;
  if (batch === undefined) return { batchProblem: 'what the other runs of the batch spend has not been checked yet' };
  if (batch.othersUsd === undefined)
    return { batchProblem: batch.problem ?? 'what the other runs of the batch have spent is not known' };
  const own = ownBatchSpend(state, batch);
  if (own !== undefined) return { batchCostUsd: batch.othersUsd + own };
  return { batchProblem: `what this run has spent is not known${whyUnknown(state)}` };
}

/** Where no iteration of the run itself has reported anything, one that reported nothing is charged like the dearest of the batch. */
function ownBatchSpend({ spend }: RunState, { dearestUsd }: BatchSpend): number | undefined {
  const reported = reportedCostUsd(spend);
  if (reported === undefined || spend.unknownIterations === 0) return reported;
  return dearestUsd === undefined ? undefined : reported + spend.unknownIterations * dearestUsd;
}

function whyUnknown(state: RunState): string {
  const why = spendProblem(state, totalSpend(state.spend))?.cost;
  return why === undefined ? '' : `: ${why}`;
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
