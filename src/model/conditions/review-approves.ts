import { quote } from '../figures.js';
import { type Answer, met, notMet, unknown } from '../judging/answer.js';
import { defineCondition } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { reasonsText } from '../review.js';

const QUOTED_CHARACTERS = 300;

/** Holds when a second opinion says that the work is done. */
export const reviewApproves = defineCondition({
  type: 'review_approves',
  about: 'the review (`review:`) says that the work is done; use it with a condition that verifies',
  fields: {},
  make: () => ({}),
  class: 'goal',
  goalOnly: true,
  priority: 50,
  where: 'loop',
  quotes: true,
  needs: () => ({ review: 'agreement' }),
  judge: (_condition, facts) => opinionOn(facts) ?? beforeReview(facts),
  describe: () => 'when the review says that it is done',
  takes: () => 'the review to say that it is done',
});

/** What the last review says, where it is about the work as it is now. */
function opinionOn({ review, iteration = 0, isAccepted }: Facts): Answer | undefined {
  if (review === undefined) return unknown('no review is configured');
  if (iteration === 0) return notMet('the review has not said that it is done');
  if (isAccepted === true) return met('you have accepted it');
  const { last, isCurrent } = review;
  if (last === undefined || !isCurrent) return undefined;
  const why = last.reasons.length === 0 ? '' : `: ${quote(reasonsText(last.reasons), QUOTED_CHARACTERS)}`;
  return last.answer === 'done' ? met(`the review agrees${why}`) : notMet(`the review says that it is not done${why}`);
}

/** An agent that is not done by its own account needs no second opinion, nor does work that has not begun. */
function beforeReview({ claims, saysDone, agentChangedSomething, review, iteration }: Facts): Answer {
  const isUnanswered = review?.problem !== undefined && review.problem.iteration === iteration;
  if (claims?.blocked !== undefined) return notMet('the agent needs a person');
  if (saysDone === undefined) {
    if (claims?.continue !== undefined) return notMet('the agent says that more work is left');
    if (agentChangedSomething === false && review?.isOfWords !== true)
      return notMet('nothing has changed since the start');
  }
  return unknown(isUnanswered ? 'the review has given no answer' : 'the review has not been asked yet');
}
