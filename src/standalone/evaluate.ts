import type { StopCondition } from '../model/condition.js';
import { ConfigError } from '../model/errors.js';
import { nearest, unknownKeys } from '../model/nearest.js';
import { parseCondition } from '../model/parse-condition.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import type { StopConditionResult, Verdict } from '../model/verdict.js';
import { evaluatePolicy as evaluatePolicyOnFacts } from '../stop/evaluate-policy.js';
import type { Facts } from '../model/judging/facts.js';
import { factsOf } from '../stop/facts.js';
import { judgeConfirmed } from '../stop/judge.js';
import { completeContext } from './complete-context.js';
import { CONTEXT_KEYS, type StopConditionContext } from './stop-condition-context.js';

/**
 * Judges one condition: met, not met, or unknown for want of a fact.
 *
 * @example
 * ```ts
 * import { evaluateCondition, maxIterations } from 'pawl';
 * const result = evaluateCondition(maxIterations(3), { iteration: 2 });
 * // { status: 'not-met', isMet: false, reason: '2 of 3 iterations', progress: 0.67, ... }
 * ```
 */
export function evaluateCondition(
  condition: StopCondition,
  context: StopConditionContext | RunState,
): StopConditionResult {
  const checked = check(condition, 'condition');
  return judgeConfirmed(checked, checked.confirm ?? 1, factsFor(context, [checked]));
}

/**
 * The first condition that stops, in the order given, or null. A budget whose spend is unknown stops too: `isMet` is
 * true and the reason says "spend unknown".
 *
 * @example
 * ```ts
 * import { evaluateStopConditions, maxCost, maxIterations } from 'pawl';
 * const stop = evaluateStopConditions([maxIterations(10), maxCost(1)], {
 *   iteration: 4,
 *   model: 'claude-sonnet-4-5',
 *   usage: { inputTokens: 150_000, outputTokens: 40_000 },
 * });
 * if (stop) console.log(stop.reason); // "$1.05 of $1.00"
 * ```
 */
export function evaluateStopConditions(
  conditions: readonly StopCondition[],
  context: StopConditionContext | RunState,
): StopConditionResult | null {
  const checked = conditions.map((condition, index) => check(condition, `conditions[${index}]`));
  const facts = factsFor(context, checked);
  for (const condition of checked) {
    const result = judgeConfirmed(condition, condition.confirm ?? 1, facts);
    if (result.isMet) return result;
    if (result.spendUnknown !== undefined) return { ...result, status: 'met', isMet: true };
  }
  return null;
}

/** Judges a whole policy: whether to stop, every reason, and how far along each condition is. */
export function evaluatePolicy(policy: Policy, context: StopConditionContext | RunState): Verdict {
  const read = readPolicy(policy);
  const conditions = policyEntries(read).map((entry) => entry.condition);
  return evaluatePolicyOnFacts(read, factsFor(context, conditions));
}

const LISTS = ['success', 'failure', 'limits', 'conditions'] as const;
const OPTIONS = ['confirm', 'atLeast', 'stopOnFirst'] as const;

/** A copy of what the caller may change between two calls, with every condition read. */
function readPolicy(policy: Policy): Policy {
  const unknown = unknownKeys(policy, [...LISTS, ...OPTIONS]);
  if (unknown.length > 0) throw new ConfigError(unknown);
  const lists = LISTS.map((list) => [
    list,
    (policy[list] ?? []).map((condition, index) => check(condition, `stop.${list}[${index}]`)),
  ]);
  return { ...policy, ...Object.fromEntries(lists) } as Policy;
}

function factsFor(context: StopConditionContext | RunState, conditions: readonly StopCondition[]): Facts {
  if ('streaks' in context) return factsOf(context);
  // More may be in it than Pawl knows, but a misspelt fact would be missed in silence.
  const misspelt = unknownKeys(context, CONTEXT_KEYS).filter(({ path }) => nearest(path, CONTEXT_KEYS) !== undefined);
  if (misspelt.length > 0) {
    throw new ConfigError(misspelt.map((issue) => ({ ...issue, path: `context.${issue.path}` })));
  }
  return completeContext(context, conditions);
}

const readBefore = new WeakMap<StopCondition, StopCondition>();

/** Plain objects are welcome, but not unread: a NaN limit would never hold. What is frozen is read once. */
function check(condition: StopCondition, path: string): StopCondition {
  const before = typeof condition === 'object' && condition !== null ? readBefore.get(condition) : undefined;
  if (before !== undefined) return before;
  const read = parseCondition(condition, path);
  readBefore.set(read, read);
  if (typeof condition === 'object' && condition !== null && Object.isFrozen(condition))
    readBefore.set(condition, read);
  return read;
}
