import { describe, expect, it } from 'vitest';
import { condition, facts } from '../../test/support/facts.js';
import { baseline, begin, iteration, started, stateAfter, tests, trees } from '../../test/support/record.js';
import type { Facts, ReviewFacts } from '../model/judging/facts.js';
import type { Policy } from '../model/policy.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import type { ReviewOpinion, ReviewState } from '../model/review.js';
import type { ReviewSpec, RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy, evaluateRun, reviewDue } from './evaluate-policy.js';
import { factsOf } from './facts.js';

const GOAL = { all: ['all_tests_pass', 'review_approves'] };
const policy = (lists: { success?: unknown[]; failure?: unknown[]; limits?: unknown[] } = {}): Policy => ({
  success: (lists.success ?? [GOAL]).map(condition),
  failure: (lists.failure ?? []).map(condition),
  limits: (lists.limits ?? []).map(condition),
});
const noReview: ReviewFacts = { when: 'goal', isCurrent: false };
const answered = (opinion: Partial<ReviewOpinion>, more: Partial<ReviewFacts> = {}): ReviewFacts => ({
  ...noReview,
  isCurrent: true,
  last: { iteration: 1, cause: 'goal', answer: 'done', reasons: [], ...opinion },
  ...more,
});
const green: Partial<Facts> = { iteration: 1, tests: tests(2, 0), agentChangedSomething: true };
const verdict = (lists: Parameters<typeof policy>[0], more: Partial<Facts>) =>
  evaluatePolicy(policy(lists), facts({ ...green, review: noReview, ...more }));
/** The class by which the run ends; undefined when it does not. */
const classOf = (...given: Parameters<typeof verdict>) => {
  const { stop, class: stopClass } = verdict(...given);
  return stop ? (stopClass ?? 'no class') : undefined;
};
const messages = (...given: Parameters<typeof verdict>) => verdict(...given).reasons.map(({ message }) => message);

describe('the verdict on work that a review can still make a goal', () => {
  it('does not end the run by an iteration limit or a streak', () => {
    expect(verdict({ limits: [{ max_iterations: 1 }] }, {})).toMatchObject({ stop: false, reasons: [] });
    expect('class' in verdict({ limits: [{ max_iterations: 1 }] }, {})).toBe(false);
    expect(classOf({ limits: [{ any: [{ max_iterations: 1 }, { max_cost: 9 }] }] }, {})).toBeUndefined();
    expect(classOf({ failure: [{ no_progress: 1 }] }, { streaks: { withoutProgress: 1 } })).toBeUndefined();
  });

  it('ends the run by what the review itself would use up, and by an operator', () => {
    expect(classOf({ limits: [{ max_cost: 1 }] }, { spend: { costUsd: 1 } })).toBe('limit');
    expect(classOf({ limits: [{ max_duration: '1s' }] }, { activeMs: 1000 })).toBe('limit');
    expect(classOf({}, { operatorStop: { by: 'cli', now: false } })).toBe('operator');
  });

  it('is as without a review where the tests fail, so that the review would change nothing', () => {
    const red = { tests: tests(1, 1) };
    expect(classOf({ limits: [{ max_iterations: 1 }] }, red)).toBe('limit');
    expect(classOf({ failure: [{ no_progress: 1 }] }, { ...red, streaks: { withoutProgress: 1 } })).toBe('failure');
  });

  it('is as without a review where the agent says that more work is left, whatever else is unknown', () => {
    const continues = { claims: { continue: 'more' } };
    const lists = { success: [GOAL, { check_passes: 'lint' }], limits: [{ max_iterations: 1 }] };
    expect(classOf(lists, continues)).toBe('limit');
    expect(classOf(lists, {})).toBeUndefined();
  });

  it('ends the run by a limit whose spend is not known, although iterations are limited with it', () => {
    const either = { limits: [{ any: [{ max_iterations: 9 }, { max_cost: 5 }] }] };
    expect(classOf(either, { spendProblem: { tokens: 'no price', cost: 'no price' } })).toBe('blocked');
  });

  it('is as without a review once the review has answered', () => {
    const refused = answered({ answer: 'not_done', reasons: ['no docs'] });
    expect(classOf({ limits: [{ max_iterations: 1 }] }, { review: refused })).toBe('limit');
    expect(classOf({ limits: [{ max_iterations: 1 }] }, { review: answered({}) })).toBe('goal');
    expect(classOf({ limits: [{ max_iterations: 1 }] }, { review: undefined })).toBe('limit');
  });

  it('is the goal where another one is met, and the veto where a guard was broken', () => {
    const met = { success: [GOAL, 'all_tests_pass'], limits: [{ max_iterations: 1 }] };
    expect(verdict(met, {}).reasons.map((reason) => reason.class)).toEqual(['goal', 'limit']);
    const veto = { problem: 'an original test fails', refused: 2, unusable: 0 } as Facts['originals'];
    expect(verdict({ limits: [{ max_iterations: 1 }] }, { originals: veto })).toMatchObject({
      class: 'veto',
      reasons: [{ class: 'veto' }, { class: 'limit' }],
    });
  });

  it('is not held back where a policy is tried that the observations were not made for', () => {
    expect(classOf({ limits: [{ max_iterations: 1 }] }, { isOtherPolicy: true })).toBe('limit');
  });
});

describe('a review that cannot be made', () => {
  const problem = (kind: string, more: object = {}) =>
    ({ ...noReview, problem: { iteration: 1, cause: 'goal', kind, message: 'no key', ...more } }) as ReviewFacts;

  it('needs a person where the goal depends on it, and is the first reason of its class', () => {
    const result = verdict(
      { failure: [{ permission_denied: 1 }] },
      { review: problem('auth'), streaks: { denials: 1 } },
    );
    expect(result).toMatchObject({ stop: true, class: 'blocked' });
    expect(result.reasons).toMatchObject([
      { path: 'review', class: 'blocked', message: expect.stringContaining('no key') },
      { path: 'stop.failure[0]', class: 'blocked' },
    ]);
  });

  it('ends nothing while it passes by itself, or where the goal does not depend on it', () => {
    expect(classOf({}, { review: problem('limit') })).toBeUndefined();
    expect(classOf({}, { review: problem('auth'), tests: tests(1, 1) })).toBeUndefined();
    expect(classOf({}, { review: problem('auth', { cause: 'stuck' }) })).toBeUndefined();
  });

  it('needs a person in a pipeline, whatever its items are', () => {
    const pipeline = { ...NEW_PIPELINE, items: 2, approved: 1 };
    expect(classOf({}, { review: problem('auth'), pipeline })).toBe('blocked');
    const stopped = { review: problem('auth'), pipeline, operatorStop: { by: 'cli', now: false } };
    expect(verdict({}, stopped).reasons.map(({ path }) => path)).toEqual(['operator', 'review']);
    expect(classOf({}, { pipeline, tests: undefined })).toBeUndefined();
    const limits = [{ max_iterations: 1 }];
    expect(classOf({ limits }, { pipeline })).toBe('limit');
  });
});

describe('an agent that says again that it is done, with the work that the review refused', () => {
  const refused = answered({ answer: 'not_done', reasons: ['no docs', 'no test'] }, { repeats: 1 });
  const insists: Partial<Facts> = { review: refused, saysDone: { evidence: 'done' } as Facts['saysDone'] };

  it('is rejected, with the reasons of the review', () => {
    const result = verdict({ limits: [{ max_iterations: 1 }] }, insists);
    expect(result.class).toBe('veto');
    expect(result.reasons).toMatchObject([
      { path: 'review', class: 'veto', message: expect.stringMatching(/refused .*twice: no docs; no test$/) },
      { path: 'stop.limits[0]' },
    ]);
  });

  it('is rejected where it says so by ending its work quietly', () => {
    expect(classOf({}, { ...insists, saysDone: undefined, isQuiet: true })).toBe('veto');
    expect(classOf({}, { ...insists, saysDone: undefined, isQuiet: 'finished' })).toBe('veto');
    expect(classOf({}, { ...insists, saysDone: undefined, isQuiet: false })).toBeUndefined();
    expect(classOf({}, { ...insists, saysDone: undefined })).toBeUndefined();
  });

  it('is not rejected where it heard the reasons only now, or has changed something since', () => {
    expect(classOf({}, { ...insists, review: { ...refused, repeats: 0 } })).toBeUndefined();
    const other = { ...refused, isCurrent: false };
    expect(classOf({}, { ...insists, review: other })).toBeUndefined();
    expect(classOf({}, { ...insists, review: other, claims: { blocked: 'which key?' } })).toBeUndefined();
    expect(classOf({}, { ...insists, review: { ...noReview, repeats: 1, isCurrent: true } })).toBeUndefined();
  });

  it('is not rejected where the tests fail too, or where the review agreed', () => {
    expect(classOf({}, { ...insists, tests: tests(1, 1) })).toBeUndefined();
    expect(messages({}, { ...insists, review: answered({}, { repeats: 1 }) })).toEqual([
      expect.stringContaining('the review agrees'),
    ]);
    const red = { tests: tests(1, 1), review: answered({}, { repeats: 1 }) };
    expect(classOf({}, { ...insists, ...red })).toBeUndefined();
  });
});

describe('why a review is due', () => {
  interface Played {
    readonly iterations?: number;
    readonly observation?: object;
    readonly lists?: Parameters<typeof policy>[0];
  }
  const spec = (review: Partial<ReviewSpec> | undefined) =>
    ({ session: {}, review: review && { when: 'goal', maxCostUsd: 1, timeoutMs: 1, ...review } }) as unknown as RunSpec;

  /** A run whose iterations each changed a file, and left the tests like this. */
  function after(review: Partial<ReviewSpec> | undefined, { iterations = 1, observation = {}, lists }: Played = {}) {
    const drafts = Array.from({ length: iterations }, (_, index) =>
      iteration(index + 1, { ...trees(`t${index}`, `t${index + 1}`), tests: tests(2, 0), ...observation }),
    );
    return stateAfter(started(policy(lists), { spec: spec(review) }), baseline({ tree: 't0' }), ...drafts.flat());
  }
  const due = (...given: Parameters<typeof after>) => reviewDue(after(...given));
  const red = { tests: tests(1, 1) };
  const reviewed = (state: RunState, { last, problem }: { last?: object; problem?: object }): RunState => {
    const work = { iteration: state.iterations, tree: state.trees.at(-1), cause: 'every' };
    const review = {
      answered: 1,
      repeats: 0,
      silent: 0,
      last: last && { answer: 'not_done', reasons: ['x'], ...work, ...last },
      problem: problem && { kind: 'silent', message: 'x', ...work, ...problem },
    };
    return { ...state, review: review as ReviewState };
  };

  it('is that a goal would be met if it agreed', () => {
    expect(due({})).toBe('goal');
    expect(due({}, { observation: red })).toBeUndefined();
    expect(due(undefined)).toBeUndefined();
  });

  it('is nothing before the first iteration, and nothing where the run ends anyway', () => {
    expect(due({ every: 1 }, { iterations: 0 })).toBeUndefined();
    expect(due({}, { lists: { limits: [{ max_cost: 0.1 }] } })).toBeUndefined();
    expect(due({}, { lists: { limits: [{ max_iterations: 1 }] } })).toBe('goal');
  });

  it('is its turn, every so many iterations', () => {
    const turns = [1, 2, 3, 4].map((iterations) => due({ every: 2 }, { iterations, observation: red }));
    expect(turns).toEqual([undefined, 'every', undefined, 'every']);
    expect(due({}, { iterations: 2, observation: red })).toBeUndefined();
  });

  it('is nothing where the same work has been reviewed, or could not be reviewed after this iteration', () => {
    const state = after({ every: 1 }, { iterations: 2, observation: red });
    expect(reviewDue(reviewed(state, { last: {} }))).toBeUndefined();
    expect(reviewDue(reviewed(state, { last: { tree: 't1', iteration: 1 } }))).toBe('every');
    expect(reviewDue(reviewed(state, { problem: {} }))).toBeUndefined();
    expect(reviewDue(reviewed(state, { problem: { iteration: 1 } }))).toBe('every');
  });

  it('is that half of a streak is used up, once for each streak', () => {
    const lists = { failure: [{ no_progress: 4 }] };
    const still = { ...red, ...trees('t0', 't0') };
    const at = (iterations: number, when: 'stuck' | 'goal' = 'stuck') =>
      after({ when }, { iterations, lists, observation: still });
    expect([1, 2, 3].map((iterations) => reviewDue(at(iterations)))).toEqual([undefined, 'stuck', 'stuck']);
    expect(reviewDue(at(2, 'goal'))).toBeUndefined();
    const asked = at(2);
    expect(
      reviewDue({ ...asked, review: { answered: 0, repeats: 0, silent: 0, isStreakReviewed: true } }),
    ).toBeUndefined();
    const limited = { lists: { limits: [{ max_iterations: 2 }] }, observation: still };
    expect(due({ when: 'stuck' }, limited)).toBeUndefined();
  });
});

describe('which work a review is about', () => {
  const at = (kind: 'loop' | 'agent', last: object | undefined, changed = true) => {
    const spec = { session: {}, review: { when: 'stuck', every: 3 } } as unknown as RunSpec;
    const state = stateAfter(
      started(policy(), { spec, kind }),
      baseline({ tree: 'a' }),
      ...iteration(1, trees('a', changed ? 'b' : 'a', { kinds: { code: 1 } })),
      begin(2),
    );
    const review = {
      answered: 1,
      repeats: 0,
      silent: 0,
      last: { cause: 'goal', answer: 'done', reasons: [], ...last },
    };
    return factsOf(last === undefined ? state : { ...state, review: review as unknown as ReviewState }).review;
  };

  it('is the tree that it has seen, whatever the iteration', () => {
    expect(at('loop', { iteration: 9, tree: 'b' })).toMatchObject({ isCurrent: true, isOfWords: false });
    expect(at('loop', { iteration: 1, tree: 'a' })?.isCurrent).toBe(false);
    expect(at('loop', undefined)).toMatchObject({ isCurrent: false, when: 'stuck', every: 3 });
  });

  it('is the iteration, where the tree is not known', () => {
    expect(at('loop', { iteration: 1 })?.isCurrent).toBe(true);
    expect(at('loop', { iteration: 2 })?.isCurrent).toBe(false);
  });

  it('is the iteration, where an agent in code has changed no file: its work is what it said', () => {
    expect(at('agent', { iteration: 1, tree: 'x' }, false)).toMatchObject({ isCurrent: true, isOfWords: true });
    expect(at('agent', { iteration: 9, tree: 'a' }, false)?.isCurrent).toBe(false);
    expect(at('agent', { iteration: 1, tree: 'x' })).toMatchObject({ isCurrent: false, isOfWords: false });
    expect(at('loop', { iteration: 1, tree: 'x' }, false)).toMatchObject({ isCurrent: false, isOfWords: false });
  });

  it('is none without a reviewer', () => {
    expect(factsOf(stateAfter(started(policy()))).review).toBeUndefined();
    expect(evaluateRun(stateAfter(started(policy()), ...iteration(1, { tests: tests(2, 0) }))).class).toBeUndefined();
  });
});
