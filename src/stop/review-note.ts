import { leavesOf, type StopCondition } from '../model/condition.js';
import { needsOf } from '../model/condition-catalog.js';
import { plural, quote, usd } from '../model/figures.js';
import { policyEntries } from '../model/policy.js';
import { reasonsText, type ReviewAnswer } from '../model/review.js';
import type { RunState } from '../model/run-state.js';
import { reviewSpend } from '../model/spend-lanes.js';

const MOST_OF_REASONS = 300;

const ANSWER_WORDS: Readonly<Record<ReviewAnswer, string>> = {
  done: 'it agreed',
  not_done: 'it said that the work is not done',
  blocked: 'it asked you',
  stuck: 'it said that the work is stuck',
};

/** `Goal, judged by the review and not verified: "the docs say so"`. */
export function goalInWordsNote({ spec, policy }: RunState): string | undefined {
  const goal = spec?.review?.goal;
  if (goal === undefined) return undefined;
  const isAlone = policyEntries(policy).some(
    ({ class: stopClass, condition }) => stopClass === 'goal' && isJudgedAlone(condition),
  );
  return `Goal, judged by the review${isAlone ? ' and not verified' : ''}: ${quote(goal, MOST_OF_REASONS)}`;
}

/** No test, check or file has to confirm it. */
export function isJudgedAlone(goal: StopCondition): boolean {
  return leavesOf(goal).every((leaf) => needsOf(leaf).review === 'agreement');
}

/** `Reviewed 2 times for $0.05, which is part of what was spent; after iteration 3 it agreed: "the diff does it"`. */
export function reviewNote({ review, spend, pipeline }: RunState, shown: string): string | undefined {
  if (review === undefined) return undefined;
  const { answered, last, problem } = review;
  const { costUsd = 0 } = reviewSpend(spend) ?? {};
  const cost = costUsd > 0 ? ` for ${usd(costUsd)}, which is part of what was spent` : '';
  const words = last === undefined ? '' : (last.question ?? reasonsText(last.reasons));
  const why = shown.includes(words) ? '' : `: ${quote(words, MOST_OF_REASONS)}`;
  const said =
    // One item of many says nothing of the run.
    last === undefined || pipeline !== undefined
      ? ''
      : `; after iteration ${last.iteration} ${ANSWER_WORDS[last.answer] ?? 'it answered'}${why}`;
  const failed = problem === undefined || shown.includes(problem.message) ? '' : `; no answer: ${problem.message}`;
  const often = answered === 0 ? 'No review gave an answer' : `Reviewed ${plural(answered, 'time')}`;
  return `${often}${cost}${said}${failed}`;
}
