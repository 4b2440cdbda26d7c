import { headOf } from './figures.js';
import { refusedIn, withRefused } from './phase.js';
import { type Reducers, unlessEnded } from './reducers.js';
import { MOST_SILENT, type ReviewedWork, type ReviewState } from './review.js';
import type { EventOf } from './run-event.js';
import type { RunState, Streaks } from './run-state.js';
import { beginReviewLane, endReviewLane } from './spend-lanes.js';
import { refusedAfterReview } from './wait-policy.js';

const NO_REVIEWS: ReviewState = Object.freeze({ answered: 0, repeats: 0, silent: 0 });

export const REVIEW_REDUCERS = {
  'review-started': unlessEnded((state, { at, reviewer }) => ({
    ...state,
    review: { ...(state.review ?? NO_REVIEWS), open: { since: at, reviewer } },
    spend: beginReviewLane(state.spend),
  })),
  'review-ended': unlessEnded(reviewEnded),
} satisfies Partial<Reducers>;

/** A review that is waited for is a refusal: the same wait, and no iteration meanwhile. */
function reviewEnded(state: RunState, event: EventOf<'review-ended'>): RunState {
  const review = reviewAfter(state, event);
  const { problem } = event;
  const isWaited = isWaitedFor(event, review.silent);
  const limitHit =
    problem === undefined || !isWaited
      ? undefined
      : {
          kind: problem.kind === 'limit' ? 'usage-limit' : 'overload',
          resetsAt: problem.resetsAt,
          message: `the review could not be made: ${problem.message}`,
        };
  const before = refusedIn(state.phase);
  const isOfReview = state.review?.problem !== undefined;
  const refused = isWaited ? refusedAfterReview(before, event) : isOfReview ? undefined : before;
  const isAlive = event.cause === 'stuck' && event.opinion?.answer === 'not_done' && event.opinion.alive === true;
  return {
    ...state,
    review,
    spend: endReviewLane(state.spend),
    phase: withRefused(state.phase, refused),
    latest: { ...state.latest, limitHit },
    ...(isAlive
      ? {
          streaks: {
            ...state.streaks,
            withoutProgress: 0,
            idleWeight: undefined,
            testFailures: 0,
            redWeight: undefined,
            failures: 0,
          },
        }
      : {}),
  };
}

/** A provider that refuses says nothing of the reviewer. A review that is cut short again and again does not end by itself. */
function reviewAfter(state: RunState, event: EventOf<'review-ended'>): ReviewState {
  const before = state.review ?? NO_REVIEWS;
  const { iteration, tree, cause, opinion, problem } = event;
  const work: ReviewedWork = { iteration, tree, cause };
  const streak = cause === 'stuck' ? { isStreakReviewed: true as const } : {};
  if (opinion !== undefined) {
    const { answered } = before;
    return { ...streak, answered: answered + 1, last: { ...opinion, ...work }, repeats: 0, silent: 0 };
  }
  const isSilent = cause === 'goal' && (problem === undefined || problem.kind === 'silent');
  const silent = isSilent ? before.silent + 1 : cause === 'goal' ? 0 : before.silent;
  return { ...before, open: undefined, ...streak, silent, problem: problem && { ...problem, ...work } };
}

/** An iteration has ended: whether the last answer is still about the work, and the streak is still the one that was reviewed. */
export function reviewAfterIteration(
  { review }: RunState,
  tree: string | undefined,
  { withoutProgress, testFailures, failures }: Streaks,
): Pick<RunState, 'review'> {
  if (review === undefined) return {};
  const { isStreakReviewed, ...others } = review;
  const isSame = tree !== undefined && tree === review.last?.tree;
  const isStreakOver = withoutProgress + testFailures + failures === 0;
  return {
    review: {
      ...others,
      ...(isStreakOver || isStreakReviewed === undefined ? {} : { isStreakReviewed }),
      repeats: isSame ? review.repeats + 1 : 0,
    },
  };
}

/** A person has seen to what kept the reviewer from answering, or to what it answered. */
export function reviewAfterResume({ last, ...review }: ReviewState): ReviewState {
  const isOpen = last !== undefined && last.answer !== 'done';
  const after = { ...review, open: undefined, problem: undefined, silent: 0, repeats: 0, isStreakReviewed: undefined };
  return last === undefined
    ? after
    : { ...after, last: isOpen ? { ...last, tree: undefined, isTakenUp: true as const } : last };
}

const USER_WORDS = 10;
const WORDS_CHARACTERS = 2000;

/** The user has said something that may change the task: the next review is shown it. */
export function withUserWords(state: RunState, words: string): RunState {
  const { spec, userWords = [] } = state;
  if (spec?.review === undefined) return state;
  return { ...state, userWords: [...userWords, headOf(words, WORDS_CHARACTERS)].slice(-USER_WORDS) };
}

/** Whether a review without an answer is tried again after a wait, as after a usage limit. Only a goal waits for it. */
function isWaitedFor({ cause, problem }: EventOf<'review-ended'>, silent: number): boolean {
  if (cause !== 'goal' || problem === undefined) return false;
  const { kind } = problem;
  return kind === 'limit' || kind === 'overload' || (kind === 'silent' && silent < MOST_SILENT);
}
