import { describe, expect, it } from 'vitest';
import { line } from '../../../test/support/facts.js';
import { classOf } from '../condition-catalog.js';
import type { Facts, ReviewFacts } from '../judging/facts.js';
import type { ReviewOpinion, ReviewedWork } from '../review.js';
import { reviewSays } from './review-says.js';

const noReview: ReviewFacts = { when: 'goal', isCurrent: false };
const answered = (opinion: Partial<ReviewOpinion & ReviewedWork>, isCurrent = true): ReviewFacts => ({
  ...noReview,
  isCurrent,
  last: { iteration: 1, cause: 'goal', answer: 'done', reasons: [], ...opinion },
});
const said = { evidence: 'x' } as Facts['saysDone'];

describe('review_approves', () => {
  const judged = (review: ReviewFacts | undefined, more: Partial<Facts> = {}) =>
    line('review_approves', { iteration: 1, agentChangedSomething: true, review, ...more });

  it('is what the review says of the work as it is now', () => {
    expect(judged(answered({}))).toBe('met 1: the review agrees');
    expect(judged(answered({ reasons: ['it works', 'it is tested'] }))).toBe(
      'met 1: the review agrees: "it works; it is tested"',
    );
    const refused = answered({ answer: 'not_done', reasons: ['no docs'] });
    expect(judged(refused)).toBe('not-met: the review says that it is not done: "no docs"');
    expect(judged(answered({ answer: 'stuck' }))).toMatch(/^not-met: the review says that it is not done$/);
  });

  it('is unknown until the review has been asked about this work, and where none is configured', () => {
    expect(judged(noReview)).toMatch(/^unknown: .*not been asked yet$/);
    expect(judged(answered({}, false))).toMatch(/^unknown: .*not been asked yet$/);
    expect(judged({ ...noReview, isCurrent: true })).toMatch(/^unknown: .*not been asked yet$/);
    expect(judged(undefined)).toMatch(/^unknown: no review is configured$/);
    const problem = { kind: 'auth', message: 'no login', iteration: 1, cause: 'goal' } as const;
    expect(judged({ ...noReview, problem })).toBe('unknown: the review has given no answer');
    expect(judged({ ...noReview, problem }, { iteration: 2 })).toMatch(/^unknown: .*not been asked yet$/);
  });

  it('is not met before the first iteration, and met where a person has accepted the work', () => {
    expect(judged(noReview, { iteration: 0 })).toMatch(/^not-met: the review has not said/);
    expect(judged(noReview, { iteration: undefined })).toMatch(/^not-met: the review has not said/);
    expect(judged(answered({ answer: 'not_done' }), { isAccepted: true })).toBe('met 1: you have accepted it');
    expect(judged(answered({}), { iteration: 0, isAccepted: true })).toMatch(/^not-met/);
  });

  it('costs no review where the agent itself needs a person, or says that more work is left', () => {
    const blocked = { claims: { blocked: 'which key?' } };
    expect(judged(noReview, { ...blocked, saysDone: said })).toMatch(/^not-met: the agent needs a person$/);
    const continues = { claims: { continue: 'more' } };
    expect(judged(noReview, continues)).toMatch(/^not-met: the agent says that more work is left$/);
    expect(judged(noReview, { ...continues, saysDone: said })).toMatch(/^unknown/);
  });

  it('costs no review where nothing has changed, unless the work is what the agent said', () => {
    const still = { agentChangedSomething: false };
    expect(judged(noReview, still)).toMatch(/^not-met: nothing has changed since the start$/);
    expect(judged(noReview, { ...still, saysDone: said })).toMatch(/^unknown/);
    expect(judged(noReview, { agentChangedSomething: undefined })).toMatch(/^unknown/);
    expect(judged({ ...noReview, isOfWords: true }, still)).toMatch(/^unknown/);
    expect(judged({ ...noReview, isOfWords: false }, still)).toMatch(/^not-met/);
  });
});

describe('review_says', () => {
  const judged = (answer: 'blocked' | 'stuck', review: ReviewFacts | undefined) =>
    line({ review_says: answer }, { review });

  it('needs a person with the question of the review, or else with its reasons', () => {
    const reasons = ['no key', 'no account'];
    expect(judged('blocked', answered({ answer: 'blocked', reasons, question: 'Which key?' }))).toBe(
      'met 1: the review asks you: "Which key?"',
    );
    expect(judged('blocked', answered({ answer: 'blocked', reasons }))).toBe(
      'met 1: the review asks you: "no key; no account"',
    );
    expect(classOf(reviewSays('blocked'))).toBe('blocked');
  });

  it('gives up on work that is stuck, except where a goal would be met: that work is not done', () => {
    const stuck = { answer: 'stuck', reasons: ['it repeats itself'] } as const;
    expect(judged('stuck', answered({ ...stuck, cause: 'stuck' }))).toBe(
      'met 1: the review says that the work is stuck: "it repeats itself"',
    );
    expect(judged('stuck', answered({ ...stuck, cause: 'every' }))).toMatch(/^met/);
    expect(judged('stuck', answered({ ...stuck, cause: 'goal' }))).toMatch(/^not-met/);
    expect(judged('blocked', answered({ answer: 'blocked', cause: 'goal' }))).toMatch(/^met/);
    expect(classOf(reviewSays('stuck'))).toBe('failure');
  });

  it('is not met by another answer, or by one about other work', () => {
    const not = 'not-met: no review has said that the work is blocked';
    expect(judged('blocked', answered({ answer: 'stuck', cause: 'stuck' }))).toBe(not);
    expect(judged('blocked', answered({ answer: 'blocked' }, false))).toBe(not);
    expect(judged('blocked', { ...noReview, isCurrent: true })).toBe(not);
    expect(judged('blocked', undefined)).toBe(not);
  });
});
