import { CONDITION_CATALOG, needsOf } from '../model/condition-catalog.js';
import type { Facts, ReviewFacts } from '../model/judging/facts.js';
import { askedOnce, boundsIterations, type Policy, policyEntries, policyLeaves } from '../model/policy.js';
import { type ReviewCause, type ReviewState, reasonsText, reviewObstacle } from '../model/review.js';
import type { StopReason, Verdict } from '../model/verdict.js';
import { rankOf } from '../model/stop-class.js';
import { judge, measureOf } from './judge.js';

/** Where a reason is that comes of a review. */
export const REVIEW_PATH = 'review';

type Evaluate = (policy: Policy, facts: Facts) => Verdict;

/**
 * The verdict, with what reviews have to do with it. While a review can still make a goal of it, nothing weaker than a goal
 * ends the run, except what the review itself would use up.
 */
export function withReview(evaluate: Evaluate, policy: Policy, facts: Facts): Verdict {
  const verdict = evaluate(policy, facts);
  if (facts.review === undefined || facts.isOtherPolicy === true) return verdict;
  if (facts.pipeline !== undefined) return withReasons(verdict, obstacleTo(facts.review));
  if (!isGoalOpen(evaluate, policy, facts, verdict))
    return withReasons(verdict, rejection(evaluate, policy, facts, facts.review));
  const reasons = verdict.reasons.filter((reason) => !isOutranked(reason));
  return withReasons({ ...verdict, reasons }, obstacleTo(facts.review));
}

function obstacleTo(review: Partial<ReviewState>): readonly StopReason[] {
  const message = reviewObstacle(review);
  return message === undefined ? [] : [{ path: REVIEW_PATH, class: 'blocked', message }];
}

export function causeOfReview(evaluate: Evaluate, policy: Policy, facts: Facts): ReviewCause | undefined {
  const { review, iteration = 0 } = facts;
  if (review === undefined || iteration === 0) return undefined;
  const verdict = withReview(evaluate, policy, facts);
  if (verdict.stop) return undefined;
  if (isGoalOpen(evaluate, policy, facts, verdict)) return 'goal';
  if (review.isCurrent || review.problem?.iteration === iteration) return undefined;
  if (review.when === 'stuck' && review.isStreakReviewed !== true && isHalfUsed(policy, facts)) return 'stuck';
  return review.every !== undefined && iteration % review.every === 0 ? 'every' : undefined;
}

/** Whether a review decides: a goal would be met if it agreed, and it has not been asked about this work. */
function isGoalOpen(evaluate: Evaluate, policy: Policy, facts: Facts, { class: stopClass }: Verdict): boolean {
  return stopClass !== 'goal' && evaluate(policy, ifAgreed(policy, facts)).class === 'goal';
}

/** The same facts, with the agreement of a review that has still to be asked: everything else comes before it. */
export function ifAgreed(policy: Policy, facts: Facts): Facts {
  const { review } = facts;
  const isOpen = policyLeaves(policy).some(
    (leaf) => needsOf(leaf).review === 'agreement' && judge(leaf, facts).status === 'unknown',
  );
  return review !== undefined && isOpen ? agreed(facts, review) : facts;
}

function agreed(facts: Facts, review: ReviewFacts): Facts {
  const { iteration = 0 } = facts;
  return {
    ...facts,
    review: { ...review, isCurrent: true, last: { iteration, cause: 'goal', answer: 'done', reasons: [] } },
  };
}

/** The agent was shown what is missing, and says again that it is done, with the same files. */
function rejection(evaluate: Evaluate, policy: Policy, facts: Facts, review: ReviewFacts): readonly StopReason[] {
  const { last, isCurrent, repeats = 0 } = review;
  if (last === undefined || !isCurrent || repeats === 0 || last.answer === 'done') return [];
  const isClaimRepeated = facts.saysDone !== undefined || (facts.isQuiet ?? false) !== false;
  // What else a goal needs was confirmed before the review was asked about these files.
  if (!isClaimRepeated || evaluate(askedOnce(policy), agreed(facts, review)).class !== 'goal') return [];
  const message = `the review refused the same work twice: ${reasonsText(last.reasons)}`;
  return [{ path: REVIEW_PATH, class: 'veto', message }];
}

/** Iterations and streaks are not used up by a review; money, tokens and time are. */
function isOutranked({ class: stopClass, condition }: StopReason): boolean {
  if (stopClass === 'failure') return true;
  return stopClass === 'limit' && condition !== undefined && boundsIterations(condition);
}

/** Half of a streak is used up. */
function isHalfUsed(policy: Policy, facts: Facts): boolean {
  return policyEntries(policy).some(({ condition }) => {
    const { value = 0, threshold = 1 } = measureOf(condition, facts) ?? {};
    return CONDITION_CATALOG[condition.type].streak === true && value * 2 >= threshold;
  });
}

/** Each of them comes first in its class. */
function withReasons(verdict: Verdict, added: readonly StopReason[]): Verdict {
  const reasons = [...added, ...verdict.reasons].sort((a, b) => rankOf(a.class) - rankOf(b.class));
  const { class: _before, ...others } = verdict;
  return {
    ...others,
    stop: reasons.length > 0,
    ...(reasons[0] === undefined ? {} : { class: reasons[0].class }),
    reasons,
  };
}
