/** What a reviewer says of the work. */
export const REVIEW_ANSWERS = ['done', 'not_done', 'blocked', 'stuck'] as const;

export type ReviewAnswer = (typeof REVIEW_ANSWERS)[number];

/** Why a review is asked for: a goal would be met, half of a streak is used up, or its turn has come. */
export type ReviewCause = 'goal' | 'stuck' | 'every';

/**
 * Why there is no answer. `limit` and `overload` pass by themselves. `silent`: it hung, failed, or what it said is not an
 * answer. The others need a person at once.
 */
export type ReviewProblemKind = 'limit' | 'overload' | 'silent' | 'auth' | 'billing' | 'missing' | 'changed' | 'budget';

export interface ReviewProblem {
  readonly kind: ReviewProblemKind;
  readonly message: string;
  readonly resetsAt?: string | undefined;
}

/** An answer, as it is recorded. */
export interface ReviewOpinion {
  readonly answer: ReviewAnswer;
  readonly reasons: readonly string[];
  /** With `blocked`: what a person has to answer. */
  readonly question?: string | undefined;
  /** With `not_done`: the work advances, although the figures do not show it. */
  readonly alive?: boolean | undefined;
}

/** What the reviews of a run have shown. */
export interface ReviewState {
  /** Those that gave an answer. */
  readonly answered: number;
  /** The last answer, and which work it is about. */
  readonly last?: (ReviewOpinion & ReviewedWork & TakenUp) | undefined;
  /** Iterations that have left the work as it was since the last answer. */
  readonly repeats: number;
  /** Why the last one gave no answer. */
  readonly problem?: (ReviewProblem & ReviewedWork) | undefined;
  /** Reviews of a goal in a row without an answer that no provider refused. */
  readonly silent: number;
  /** The streak under way has been reviewed. */
  readonly isStreakReviewed?: true | undefined;
  /** A review that has started and not ended. */
  readonly open?: { readonly since: string; readonly reviewer: string } | undefined;
}

interface TakenUp {
  /** A person has resumed the run since: it does not end the run again, and the same work may be reviewed again. */
  readonly isTakenUp?: true | undefined;
}

export interface ReviewedWork {
  readonly iteration: number;
  readonly tree?: string | undefined;
  readonly cause: ReviewCause;
}

/** How often in a row a reviewer may give no answer. Each may cost something. */
export const MOST_SILENT = 3;

/** Why a run cannot continue without a person, where a goal depends on a review that cannot be made. */
export function reviewObstacle({ problem, silent = 0 }: Partial<ReviewState>): string | undefined {
  const isPassing = problem?.kind === 'limit' || problem?.kind === 'overload';
  if (silent >= MOST_SILENT && !isPassing)
    return `the review gave no answer ${silent} times: ${problem?.message ?? 'it was cut short'}`;
  if (problem === undefined || problem.cause !== 'goal' || isPassing || problem.kind === 'silent') return undefined;
  return `the review could not be made: ${problem.message}`;
}

/** Reasons in one line. Some are whole sentences. */
export function reasonsText(reasons: readonly string[]): string {
  const last = reasons.length - 1;
  return reasons.map((reason, n) => (n === last ? reason : `${reason}${/[.!?]$/.test(reason) ? ' ' : '; '}`)).join('');
}
