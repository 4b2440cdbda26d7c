import type { ConditionOf } from '../model/condition.js';
import { formatDuration, parseDuration } from '../model/duration.js';
import { unitOf } from '../model/unit.js';
import type { Spend } from '../model/usage.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { count, plural, usd, usdLimit } from './figures.js';
import { met, notMet, reached, spendUnknown, unknown } from './result.js';

type TokenLimit = ConditionOf<'max_tokens' | 'max_input_tokens' | 'max_output_tokens'>;

const TOKENS = {
  max_tokens: { field: 'totalTokens', noun: 'tokens' },
  max_input_tokens: { field: 'inputTokens', noun: 'input tokens' },
  max_output_tokens: { field: 'outputTokens', noun: 'output tokens' },
} as const satisfies Record<TokenLimit['type'], { field: keyof Spend; noun: string }>;

export function judgeIterations(condition: ConditionOf<'max_iterations'>, facts: Facts): StopConditionResult {
  const limit = condition.count;
  // In a pipeline an iteration is an attempt.
  return reached(condition, facts.iteration, limit, (value) => `${count(value)} of ${plural(limit, unitOf(facts))}`);
}

export function judgeDuration(condition: ConditionOf<'max_duration'>, facts: Facts): StopConditionResult {
  const limitMs = parseDuration(condition.duration);
  if (limitMs === undefined) return unknown(condition, `"${condition.duration}" is not a duration`);
  const sentence = (value: number) => `${formatDuration(value)} of ${formatDuration(limitMs)} active`;
  return reached(condition, facts.activeMs, limitMs, sentence);
}

export function judgeDeadline(condition: ConditionOf<'deadline'>, facts: Facts): StopConditionResult {
  const atMs = Date.parse(condition.at);
  const { nowMs, startedAtMs } = facts;
  if (nowMs === undefined || Number.isNaN(atMs)) return unknown(condition, 'the time is not known');
  if (nowMs >= atMs) return met(condition, `the deadline ${condition.at} has passed`);
  const whole = startedAtMs === undefined ? 0 : atMs - startedAtMs;
  const progress = startedAtMs === undefined || whole <= 0 ? undefined : (nowMs - startedAtMs) / whole;
  return notMet(condition, `${formatDuration(atMs - nowMs)} until ${condition.at}`, progress);
}

export function judgeTokens(condition: TokenLimit, facts: Facts): StopConditionResult {
  const { field, noun } = TOKENS[condition.type];
  const used = facts.spend[field];
  if (used === undefined || !(used >= 0)) return withoutSpend(condition, facts.spendProblem?.tokens);
  const limit = condition.count;
  return reached(condition, used, limit, (value) => `${count(value)} of ${count(limit)} ${noun}${estimate(facts)}`);
}

export function judgeCost(condition: ConditionOf<'max_cost'>, facts: Facts): StopConditionResult {
  const { usd: limit, model } = condition;
  if (facts.stoppedItself === 'budget')
    return met(condition, `the agent stopped at its own budget, within ${usdLimit(limit)}`);
  const spent = facts.spend.costUsd ?? (model === undefined ? undefined : facts.costAtModel?.[model]);
  if (spent === undefined || !(spent >= 0)) return withoutSpend(condition, facts.spendProblem?.cost);
  return reached(condition, spent, limit, (value) => `${usd(value)} of ${usdLimit(limit)}${estimate(facts)}`);
}

/** What several runs spend together. */
export function judgeSharedCost(
  condition: ConditionOf<'max_cost_per_day' | 'max_cost_of_batch'>,
  facts: Facts,
): StopConditionResult {
  const { usd: limit } = condition;
  const isDay = condition.type === 'max_cost_per_day';
  const [spent, problem] = isDay ? [facts.dayCostUsd, facts.dayProblem] : [facts.batchCostUsd, facts.batchProblem];
  if (spent === undefined || !(spent >= 0)) {
    const nobody = `the spend of the ${isDay ? 'day' : 'batch'} is not known yet`;
    return problem === undefined ? unknown(condition, nobody) : spendUnknown(condition, problem);
  }
  const whose = isDay ? 'today' : 'for the batch';
  return reached(condition, spent, limit, (value) => `${usd(value)} of ${usdLimit(limit)} ${whose}`);
}

/** Nothing has run and nothing was told: not known. Something may have been spent: the limit cannot be kept. */
function withoutSpend(
  condition: TokenLimit | ConditionOf<'max_cost'>,
  problem: string | undefined,
): StopConditionResult {
  return problem === undefined ? unknown(condition, 'no usage is known') : spendUnknown(condition, problem);
}

function estimate(facts: Facts): string {
  const estimated = facts.estimatedIterations ?? 0;
  return estimated === 0 ? '' : ` (${plural(estimated, unitOf(facts))} estimated)`;
}

/** Above, not at: the redline of the session uses the same comparison. */
export function judgeContext(condition: ConditionOf<'context_above'>, facts: Facts): StopConditionResult {
  const used = facts.contextPercent;
  if (used === undefined) return unknown(condition, 'the context use is not known');
  const sentence = `context ${Math.floor(used)}% used, ${condition.percent}% allowed`;
  if (used > condition.percent) return met(condition, sentence);
  return notMet(condition, sentence, condition.percent === 0 ? 0 : used / condition.percent);
}
