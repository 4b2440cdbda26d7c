import { quote } from '../figures.js';
import { met, notMet } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { reasonsText } from '../review.js';

const QUOTED_CHARACTERS = 300;

/** Holds when a second opinion says that the work depends on a person, or does not advance. */
export const reviewSays = defineCondition({
  type: 'review_says',
  about: 'the review says that the work is `blocked` (it needs you) or `stuck` (it gives up)',
  fields: { answer: field.opinion },
  make: (answer: 'blocked' | 'stuck') => ({ answer }),
  short: 'answer',
  class: 'failure',
  classOf: ({ answer }) => (answer === 'blocked' ? 'blocked' : 'failure'),
  priority: 70,
  where: 'loop',
  quotes: true,
  needs: () => ({ review: 'opinion' }),
  judge: ({ answer }, { review }) => {
    const last = review?.isCurrent === true ? review.last : undefined;
    // Where a goal would be met, the work is not stuck: it is not done.
    if (last?.answer !== answer || last.isTakenUp === true || (answer === 'stuck' && last.cause === 'goal'))
      return notMet(`no review has said that the work is ${answer}`);
    const words = quote(last.question ?? reasonsText(last.reasons), QUOTED_CHARACTERS);
    return met(
      answer === 'blocked' ? `the review asks you: ${words}` : `the review says that the work is stuck: ${words}`,
    );
  },
  describe: ({ answer }) => `when the review says that the work is ${answer}`,
  takes: ({ answer }) => `the review to say that the work is ${answer}`,
});
