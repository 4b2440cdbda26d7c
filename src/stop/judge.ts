import type { StopCondition } from '../model/condition.js';
import type { Facts } from '../model/judging/facts.js';
import type { StopConditionResult } from '../model/verdict.js';
import { ruleOf } from './rule-of.js';

/**
 * S1: what the facts say of a condition. Reads no clock, no disk, no network; the same facts give the same answer for
 * ever. Every part of a composite is judged, so that every sentence can be shown.
 */
export function judge(condition: StopCondition, facts: Facts): StopConditionResult {
  const answer = ruleOf(condition, facts).judge(condition, facts, (inner) => judge(inner as StopCondition, facts));
  return { condition, ...answer } as StopConditionResult;
}
