import { expect, it } from 'vitest';
import { condition } from '../../test/support/facts.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import type { ReviewState } from '../model/review.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { reportInLane, REVIEW_LANE } from '../model/spend-lanes.js';
import type { RunSpec } from '../model/run-spec.js';
import { EMPTY_ACCOUNT } from '../model/spend-account.js';
import { used } from '../../test/support/record.js';
import type { EventOf } from '../model/run-event.js';
import { goalInWordsNote, reviewNote } from './summary-notes.js';

const note = (review: Partial<ReviewState> | undefined, reported = '', more: Partial<RunState> = {}) =>
  reviewNote(
    { ...INITIAL_STATE, review: review && { answered: 1, repeats: 0, silent: 0, ...review }, ...more },
    reported,
  );
const last = (answer: string, more: object = {}) =>
  ({ iteration: 3, cause: 'goal', answer, reasons: ['no docs', 'no test'], ...more }) as ReviewState['last'];
const problem = { iteration: 3, cause: 'goal', kind: 'auth', message: 'invalid key' } as const;

it('a goal in words is shown, and that nothing but the review decides it where that is so', () => {
  const shown = (goal: string | undefined, success: readonly unknown[], failure: readonly unknown[] = []) => {
    const policy = { success: success.map(condition), failure: failure.map(condition), limits: [] };
    return goalInWordsNote({ ...INITIAL_STATE, policy, spec: { review: { goal } } as RunSpec });
  };
  const both = { all: ['all_tests_pass', 'review_approves'] };
  expect(shown('the docs say so', [both])).toBe('Goal, judged by the review: "the docs say so"');
  const alone = 'Goal, judged by the review and not verified: "the docs say so"';
  expect(shown('the docs say so', ['review_approves'])).toBe(alone);
  expect(shown('the docs say so', [both, 'review_approves'])).toBe(alone);
  expect(shown('the docs say so', [both], [{ not: 'review_approves' }])).not.toBe(alone);
  expect(shown(undefined, ['review_approves'])).toBeUndefined();
});

it('is nothing of a run without reviews', () => {
  expect(note(undefined)).toBeUndefined();
});

it('says what the last review said, after which iteration, and why', () => {
  expect(note({ last: last('not_done') })).toBe(
    'Reviewed 1 time; after iteration 3 it said that the work is not done: "no docs; no test"',
  );
  expect(note({ answered: 2, last: last('done', { reasons: [] }) })).toBe(
    'Reviewed 2 times; after iteration 3 it agreed',
  );
  expect(note({ last: last('blocked', { question: 'Which key?' }) })).toMatch(/it asked you: "Which key\?"$/);
  expect(note({ last: last('stuck') })).toMatch(/it said that the work is stuck: "no docs/);
  expect(note({ last: last('of a later version') })).toMatch(/after iteration 3 it answered: "no docs/);
});

it('does not repeat what the reason to stop says', () => {
  expect(note({ last: last('not_done') }, 'refused: no docs; no test')).toMatch(/is not done$/);
  expect(note({ problem }, 'no review: invalid key')).toBe('Reviewed 1 time');
});

it('says why there was no answer', () => {
  expect(note({ answered: 0, problem })).toBe('No review gave an answer; no answer: invalid key');
  expect(note({ answered: 0, problem }, 'no review: invalid key')).toBeUndefined();
  expect(note({ last: last('done', { reasons: [] }), problem })).toMatch(/it agreed; no answer: invalid key$/);
});

it('says what reviews cost', () => {
  const report = used({ costUsd: 0.05 }) as EventOf<'usage-reported'>;
  const spend = reportInLane(EMPTY_ACCOUNT, REVIEW_LANE, report);
  expect(note({}, '', { spend })).toBe('Reviewed 1 time for $0.05, which is part of what was spent');
  const free = reportInLane(EMPTY_ACCOUNT, REVIEW_LANE, { ...report, spend: { costUsd: 0 } });
  expect(note({}, '', { spend: free })).toBe('Reviewed 1 time');
});

it('of a pipeline says nothing of a single item', () => {
  expect(note({ last: last('done') }, '', { pipeline: NEW_PIPELINE })).toBe('Reviewed 1 time');
});
