import { doneClaimOf } from '../model/claim.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { neededBy } from '../model/condition-catalog.js';
import { compilePattern } from '../model/pattern.js';
import type { TestResults } from '../model/test-results.js';
import { cleanSpend, type Spend } from '../model/usage.js';
import { calculateCost } from '../pricing/calculate-cost.js';
import type { Facts } from '../model/judging/facts.js';
import type { StopConditionContext } from './stop-condition-context.js';

/** Turns what a caller knows into facts: prices the usage, matches the patterns, and leaves the rest unknown. */
export function completeContext(context: StopConditionContext, conditions: readonly StopCondition[]): Facts {
  const leaves = conditions.flatMap(leavesOf);
  const startedAtMs = timeOf(context.startTime);
  const nowMs = timeOf(context.currentTime);
  const spend = spendOf(context);
  return {
    iteration: context.iteration,
    startedAtMs,
    nowMs,
    activeMs: startedAtMs === undefined || nowMs === undefined ? undefined : Math.max(0, nowMs - startedAtMs),
    spend,
    spendProblem: spendProblem(context),
    costAtModel: costAtModel(context, leaves),
    tests: testsOf(context),
    checks: context.checks,
    probes: context.probes,
    files: context.changes,
    streaks: streaksOf(context),
    matches: context.recentOutput === undefined ? undefined : matchesIn(context.recentOutput, leaves),
    claims: context.claims,
    saysDone: doneClaimOf(context),
    errors: errorsOf(context),
    contextPercent: context.contextPercent,
    userSignal: context.userSignal,
    pipeline: context.pipeline,
    holds: context.holds,
    confirmations: context.confirmations,
  };
}

/** Figures that cannot be (negative, infinite, NaN) are unknown. */
function spendOf({ usage, model, costUsd }: StopConditionContext): Spend {
  const cost = costUsd ?? (usage === undefined || model === undefined ? undefined : calculateCost(usage, model));
  return cleanSpend({ ...usage, ...(cost === undefined ? {} : { costUsd: cost }) }).spend;
}

/** Unknown spend blocks only where something may have been spent: usage or cost was told, or an iteration has run. */
function spendProblem(context: StopConditionContext): Facts['spendProblem'] {
  const { usage, model, costUsd, iteration } = context;
  if (usage === undefined) {
    const untold = 'the context has no usage';
    return costUsd !== undefined || (iteration ?? 0) > 0 ? { tokens: untold, cost: untold } : undefined;
  }
  const isPriced = model !== undefined && calculateCost({ inputTokens: 0, outputTokens: 0 }, model) !== undefined;
  const tokens = 'the context does not have all of the usage';
  return { tokens, cost: isPriced ? tokens : `no price is known for ${model ?? 'usage that names no model'}` };
}

/** `maxCost(5, model)` names the model for a context that names none. */
function costAtModel(
  { usage }: StopConditionContext,
  leaves: readonly StopCondition[],
): Record<string, number | undefined> {
  if (usage === undefined) return {};
  const models = [...neededBy(leaves, 'priceOf').values()];
  return Object.fromEntries(models.map((model) => [model, calculateCost(usage, model)]));
}

function testsOf({ passedTests, failedTests }: StopConditionContext): TestResults | undefined {
  if (passedTests === undefined && failedTests === undefined) return undefined;
  const passed = passedTests ?? [];
  const failed = failedTests ?? [];
  return {
    source: 'harness',
    passed: passed.length,
    // Not told is not none.
    ...(failedTests === undefined ? {} : { failed: failed.length, total: passed.length + failed.length }),
    details: [
      ...passed.map((name) => ({ name, status: 'passed' }) as const),
      ...failed.map((name) => ({ name, status: 'failed' }) as const),
    ],
  };
}

function streaksOf(context: StopConditionContext): Facts['streaks'] {
  const streaks = {
    testFailures: context.testFailureStreak,
    strictTestFailures: context.testFailureStreak,
    withoutProgress: context.iterationsSinceProgress,
    failures: context.failureStreak,
    oscillations: context.oscillations,
    sameError: context.sameErrorStreak,
    denials: context.denials,
  };
  return Object.fromEntries(Object.entries(streaks).filter(([, value]) => value !== undefined));
}

function matchesIn(text: string, leaves: readonly StopCondition[]): Record<string, string> {
  const found = [...neededBy(leaves, 'output')].flatMap(([key, pattern]) => {
    const match = compilePattern(pattern)(text);
    return match === undefined ? [] : [[key, match] as const];
  });
  return Object.fromEntries(found);
}

function errorsOf({ hasError, errorMessage }: StopConditionContext): Facts['errors'] {
  if (hasError === true || errorMessage !== undefined) return [{ kind: 'other', message: errorMessage ?? '' }];
  return hasError === false ? [] : undefined;
}

function timeOf(time: Date | string | number | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = new Date(time).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}
