import type { StopCondition } from '../model/condition.js';
import { needsOf } from '../model/condition-catalog.js';
import type { Needs } from '../model/judging/needs.js';
import { type Policy, policyEntries, policyLeaves } from '../model/policy.js';
import type { ConfigValues } from './config-shape.js';
import { REVIEW_ALONE, REVIEW_FAILURES } from './default-policy.js';

/**
 * With a review a goal counts only when it agrees, and what else it says ends the run. Who writes such a condition says where
 * it counts: then nothing is added.
 */
export function withReview(policy: Policy, { when }: NonNullable<ConfigValues['review']>): Policy {
  const goals = when === 'goal' && !mentions(policy, 'agreement') ? withAgreement(policy) : policy;
  return mentions(goals, 'opinion') ? goals : { ...goals, failure: [...goals.failure, ...REVIEW_FAILURES] };
}

function mentions(policy: Policy, review: Needs['review']): boolean {
  return policyLeaves(policy).some((leaf) => needsOf(leaf).review === review);
}

function withAgreement(policy: Policy): Policy {
  const goals = new Set(policyEntries(policy).flatMap((entry) => (entry.class === 'goal' ? [entry.condition] : [])));
  const agreed = (condition: StopCondition) => (goals.has(condition) ? withReviewer(condition) : condition);
  const { success, conditions } = policy;
  return {
    ...policy,
    success: success.map(agreed),
    ...(conditions === undefined ? {} : { conditions: conditions.map(agreed) }),
  };
}

/** Class and repetition belong to the outermost condition. */
function withReviewer({ class: stopClass, confirm, ...goal }: StopCondition): StopCondition {
  return {
    type: 'all',
    conditions: [goal, REVIEW_ALONE],
    ...(stopClass === undefined ? {} : { class: stopClass }),
    ...(confirm === undefined ? {} : { confirm }),
  };
}
