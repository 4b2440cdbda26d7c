import { readFileSync } from 'node:fs';
import { recordReview, type Reviewing } from '../iteration/run-review.js';
import { headOf, plural } from '../model/figures.js';
import type { MadeOutput } from '../model/run-event.js';
import { reasonsText, type ReviewAnswer, reviewObstacle } from '../model/review.js';
import { isWaitDue } from '../model/wait-policy.js';
import { makeEvidence } from '../observation/review/evidence.js';
import type { AttemptEnd } from './attempt-task.js';

const SAID_CHARACTERS = 8000;

/** Where the run is asked for nothing more: the review is left for later. */
const UNREVIEWED = 'it waits for its review';

const OUTCOMES: Readonly<Record<Exclude<ReviewAnswer, 'done'>, AttemptEnd['outcome']>> = {
  not_done: 'retry',
  blocked: 'rejected',
  stuck: 'rejected',
};

/** One item that an attempt has made, and its audit approved. */
export interface MadeItem extends MadeOutput {
  readonly index: number;
  readonly attempt: number;
  /** What was asked for. */
  readonly task: string;
  /** Where its output is; undefined where items have none. */
  readonly path?: string | undefined;
}

/** Reviews items one after the other, so that their budget is kept. */
export function createItemReviews(context: Reviewing & { readonly runId: string }) {
  let last: Promise<unknown> = Promise.resolve();
  return (item: MadeItem, signal: AbortSignal): Promise<AttemptEnd> => {
    const next = last.then(() => reviewItem(context, item, signal));
    last = next.catch(() => undefined);
    return next;
  };
}

/** What the review makes of an attempt. Without its answer the item stays as it is, and is not made again. */
async function reviewItem(
  context: Reviewing & { readonly runId: string },
  { index, attempt, task, path, hash, said }: MadeItem,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { journal, redact, runId, spec } = context;
  const { state } = journal;
  const kept = said === undefined ? undefined : redact(headOf(said, SAID_CHARACTERS));
  const made = { ...(hash === undefined ? {} : { hash }), ...(kept === undefined ? {} : { said: kept }) };
  const left: AttemptEnd = { outcome: signal.aborted ? 'interrupted' : 'limited', message: UNREVIEWED, made };
  if (signal.aborted || isWaitDue(state) || reviewObstacle(state.review ?? {}) !== undefined) return left;
  const output = path === undefined ? undefined : redact(textIn(path));
  const facts = { task: redact(task), goal: spec.review?.goal, lastMessage: kept, output };
  const about = { iteration: state.iterations, cause: 'goal', index } as const;
  const { opinion, problem } = await recordReview(context, {
    about,
    evidence: makeEvidence(facts, 'goal'),
    cookie: `${runId}.${index + 1}.${attempt}.review`,
    signal,
  });
  if (problem !== undefined) return { ...left, message: problem.message };
  if (opinion === undefined) return { ...left, outcome: 'interrupted' };
  if (opinion.answer === 'done') return { outcome: 'approved', ...(hash === undefined ? {} : { hash }) };
  return {
    outcome: OUTCOMES[opinion.answer],
    reasons: [`REVIEW_${opinion.answer.toUpperCase()}`],
    message: opinion.question ?? reasonsText(opinion.reasons),
  };
}

function textIn(path: string): string {
  const bytes = readFileSync(path);
  const text = new TextDecoder('utf8');
  const decoded = text.decode(bytes);
  return decoded.includes('\0') || decoded.includes('\ufffd')
    ? `(${plural(bytes.length, 'byte')} that are not text)`
    : decoded;
}
