import { type Policy, policyEntries } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

/** Conditions that count attempts: with several in flight the next one may be one too many. */
const COUNTED: ReadonlySet<string> = new Set(['circuit_breaker', 'max_iterations']);

const counting = new WeakMap<Policy, Policy>();

/** Whether another attempt may begin beside those in flight, so that a count of attempts is never overrun. */
export function hasRoom(state: RunState, inFlight: number): boolean {
  if (inFlight === 0) return true;
  const { pipeline } = state;
  const ahead: RunState = {
    ...state,
    iterations: state.iterations + inFlight,
    pipeline: pipeline && { ...pipeline, attempts: pipeline.attempts + inFlight },
  };
  const { reasons } = evaluatePolicy(countingPart(state.policy), factsOf(ahead));
  return !reasons.some(({ condition }) => condition !== undefined && COUNTED.has(condition.type));
}

function countingPart(policy: Policy): Policy {
  let part = counting.get(policy);
  if (part === undefined) {
    const counted = policyEntries(policy).flatMap(({ condition }) => (COUNTED.has(condition.type) ? [condition] : []));
    part = { success: [], failure: [], limits: counted };
    counting.set(policy, part);
  }
  return part;
}
