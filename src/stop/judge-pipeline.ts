import type { ConditionOf } from '../model/condition.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { count, percent, plural } from './figures.js';
import { met, notMet, reached, unknown } from './result.js';

type RateCondition = ConditionOf<'retry_rate' | 'reject_rate'>;

/** Rates count items with a final status; exactly the maximum does not halt, anything above does. A halt is said in Story 4.4's words. */
export function judgeRate(condition: RateCondition, facts: Facts): StopConditionResult {
  const { pipeline } = facts;
  if (pipeline === undefined) return unknown(condition, 'this is not a pipeline');
  const ended = pipeline.approved + pipeline.rejected + pipeline.failed;
  const counted = condition.type === 'retry_rate' ? pipeline.withRetries : pipeline.rejected + pipeline.failed;
  if (!Number.isFinite(ended) || !Number.isFinite(counted)) return unknown(condition, 'the items were not counted');
  const rate = ended === 0 ? 0 : counted / ended;
  const name = condition.type === 'retry_rate' ? 'retry rate' : 'reject rate';
  const sentence = `${name} ${percent(rate)} of ${plural(ended, 'item')}, ${percent(condition.max)} allowed`;
  const least = condition.min_items ?? 1;
  if (ended < least) return notMet(condition, `${sentence}, judged from ${plural(least, 'item')} on`, 0);
  // What an operator has seen and resumed from halts the run again only when it gets worse.
  const { accepted } = pipeline;
  const seen = (condition.type === 'retry_rate' ? accepted?.retryRate : accepted?.rejectRate) ?? 0;
  if (rate > Math.max(condition.max, seen)) {
    const subject = condition.type === 'retry_rate' ? 'Retry rate' : 'Reject rate';
    return met(condition, `${subject} ${percent(rate)} exceeds ${percent(condition.max)} threshold`);
  }
  if (rate > condition.max) return notMet(condition, `${sentence}, ${percent(seen)} accepted by a resume`, 1);
  return notMet(condition, sentence, condition.max === 0 ? 0 : rate / condition.max);
}

export function judgeConsecutiveFails(condition: ConditionOf<'consecutive_fails'>, facts: Facts): StopConditionResult {
  const limit = condition.count;
  const sentence = (value: number) => {
    if (value < limit) return `${count(value)} of ${plural(limit, 'item')} in a row rejected or failed`;
    return `${plural(value, 'item')} in a row failed or ${value === 1 ? 'was' : 'were'} rejected, ${haltsAt(limit)}`;
  };
  return reached(condition, facts.pipeline?.consecutiveFails, limit, sentence);
}

export function judgeBreaker(condition: ConditionOf<'circuit_breaker'>, facts: Facts): StopConditionResult {
  const limit = condition.attempts;
  const sentence = (value: number) => {
    if (value < limit) return `${count(value)} of ${plural(limit, 'attempt')}`;
    return `${plural(value, 'attempt')} ${value === 1 ? 'was' : 'were'} made, ${haltsAt(limit)}`;
  };
  return reached(condition, facts.pipeline?.attempts, limit, sentence);
}

function haltsAt(limit: number): string {
  return `${count(limit)} ${limit === 1 ? 'halts' : 'halt'} the run`;
}
