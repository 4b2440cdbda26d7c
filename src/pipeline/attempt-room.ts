import type { StopCondition } from '../model/condition.js';
import { limitOf } from '../model/condition-catalog.js';
import type { Quantity } from '../model/judging/quantity.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import type { Spend } from '../model/usage.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

/**
 * What attempts use up: with several in flight the next one may be one too many. What would be cut short by a budget has
 * been paid for and is made again.
 */
const COUNTED: ReadonlySet<Quantity | undefined> = new Set<Quantity>([
  'attempts',
  'iterations',
  'costUsd',
  'totalTokens',
  'inputTokens',
  'outputTokens',
]);

const counting = new WeakMap<Policy, Policy>();

/**
 * Whether another attempt may begin next to those in flight, so that a count of attempts is never overrun, and a budget
 * by no more than one if all cost the same. One alone may always begin.
 */
export function hasRoom(state: RunState, inFlight: number): boolean {
  if (inFlight === 0) return true;
  const { pipeline } = state;
  const ahead: RunState = {
    ...state,
    iterations: state.iterations + inFlight,
    pipeline: pipeline && { ...pipeline, attempts: pipeline.attempts + inFlight },
  };
  const facts = factsOf(ahead);
  const spend = scaledSpend(facts.spend, (state.iterations + inFlight + 1) / Math.max(1, state.iterations));
  const { reasons } = evaluatePolicy(countingPart(state.policy), { ...facts, spend });
  return !reasons.some(({ condition }) => condition !== undefined && isCounted(condition));
}

function isCounted(condition: StopCondition): boolean {
  return COUNTED.has(limitOf(condition)?.quantity);
}

/** What all will have spent when those in flight and one more have cost as much as the others on average. */
function scaledSpend(spend: Spend, factor: number): Spend {
  return Object.fromEntries(
    Object.entries(spend).map(([field, value]: [string, number | undefined]) => [field, value && value * factor]),
  );
}

function countingPart(policy: Policy): Policy {
  let part = counting.get(policy);
  if (part === undefined) {
    const counted = policyEntries(policy).flatMap(({ condition }) => (isCounted(condition) ? [condition] : []));
    part = { success: [], failure: [], limits: counted };
    counting.set(policy, part);
  }
  return part;
}
