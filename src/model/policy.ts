import { leavesOf, type StopCondition } from './condition.js';
import { classOf, CONDITION_CATALOG, limitOf, neededBy } from './condition-catalog.js';
import type { Quantity } from './judging/quantity.js';
import type { StopClass } from './stop-class.js';

/** A run's conditions by class. All of them are judged; any that is met stops the run. */
export interface Policy {
  readonly success: readonly StopCondition[];
  readonly failure: readonly StopCondition[];
  readonly limits: readonly StopCondition[];
  /** Spec 104's neutral list: each takes the class of its kind. */
  readonly conditions?: readonly StopCondition[] | undefined;
  /** How often a goal is checked before it counts, the first time included. */
  readonly confirm?: number | undefined;
  /** Goals count only after this many iterations. */
  readonly atLeast?: number | undefined;
  /** Report only the first reason instead of every one. */
  readonly stopOnFirst?: boolean | undefined;
}

export type PolicyList = 'success' | 'failure' | 'limits' | 'conditions';

/** One condition of a policy, with the class that it has there. */
export interface PolicyEntry {
  /** Where it is, such as `stop.limits[0]`. */
  readonly path: string;
  readonly class: StopClass;
  readonly condition: StopCondition;
}

export const EMPTY_POLICY: Policy = Object.freeze({ success: [], failure: [], limits: [] });

const LISTS = ['success', 'failure', 'limits', 'conditions'] as const satisfies readonly PolicyList[];
const CLASS_OF_LIST = { success: 'goal', failure: 'failure', limits: 'limit' } as const;

const flattened = new WeakMap<Policy, readonly PolicyEntry[]>();

/** Every condition of the policy in order of writing. */
export function policyEntries(policy: Policy): readonly PolicyEntry[] {
  let entries = flattened.get(policy);
  if (entries === undefined) {
    entries = LISTS.flatMap((list) =>
      (policy[list] ?? []).map((condition, index) => ({
        path: `stop.${list}[${index}]`,
        class: classIn(list, condition),
        condition,
      })),
    );
    flattened.set(policy, entries);
  }
  return entries;
}

/** The same, with goals that count when they are met once. */
export function askedOnce(policy: Policy): Policy {
  const once = (condition: StopCondition): StopCondition => ({ ...condition, confirm: 1 });
  const { conditions } = policy;
  return {
    ...policy,
    success: policy.success.map(once),
    ...(conditions === undefined ? {} : { conditions: conditions.map(once) }),
  };
}

/** Every leaf of every condition of the policy. */
export function policyLeaves(policy: Policy): readonly StopCondition[] {
  return policyEntries(policy).flatMap(({ condition }) => leavesOf(condition));
}

/** Vetoes, denials and the operator keep their own class in every list; what they mean does not depend on it. */
function classIn(list: PolicyList, condition: StopCondition): StopClass {
  const own = classOf(condition);
  if (own === 'veto' || own === 'operator' || own === 'blocked') return own;
  return list === 'conditions' ? (condition.class ?? own) : CLASS_OF_LIST[list];
}

/** A limit of 0 means: no limit of that type. */
export function isNoLimit(condition: StopCondition): boolean {
  const { zeroIsNone, limit } = CONDITION_CATALOG[condition.type];
  return zeroIsNone === true && limit?.(condition).amount === 0;
}

/**
 * The policy with another limit in place of the one of the same type, or next to the others when there is none. A limit
 * of 0 takes the one of its type away.
 */
export function withLimit(policy: Policy, limit: StopCondition): Policy {
  const given = isNoLimit(limit) ? [] : [limit];
  if (policy.failure.some(({ type }) => type === limit.type)) {
    return {
      ...policy,
      failure: policy.failure.flatMap((condition) => (condition.type === limit.type ? given : [condition])),
    };
  }
  const others = (list: readonly StopCondition[]) => list.filter((condition) => condition.type !== limit.type);
  const { conditions } = policy;
  return {
    ...policy,
    limits: [...others(policy.limits), ...given],
    ...(conditions === undefined ? {} : { conditions: others(conditions) }),
  };
}

/** The model whose price usage has that names no model and has no cost. */
export function costModelOf(policy: Policy): string | undefined {
  return [...neededBy(policyLeaves(policy), 'priceOf').values()][0];
}

/** How much of a quantity these conditions allow: of several limits the lowest holds. */
export function lowestLimit(conditions: readonly StopCondition[], of: Quantity): number | undefined {
  const known = conditions.flatMap((condition) => limitOf(condition) ?? []);
  const amounts = known.flatMap(({ quantity, amount }) => (quantity === of ? amount : []));
  return amounts.length === 0 ? undefined : Math.min(...amounts);
}

/** The limit over all runs of a day, in US dollars. */
export function dayLimitUsd({ limits, conditions = [] }: Policy): number | undefined {
  return lowestLimit([...limits, ...conditions], 'dayCostUsd');
}

/** Whether the condition alone ends a run after a number of iterations. */
export function boundsIterations(condition: StopCondition): boolean {
  if (condition.type === 'any') return condition.conditions.some(boundsIterations);
  return limitOf(condition)?.quantity === 'iterations';
}
