import { isAbsolute, relative } from 'node:path';
import { messageOf } from '../model/errors.js';
import { quote } from '../model/figures.js';
import type { ReviewCause, ReviewProblem } from '../model/review.js';
import type { EventBodies } from '../model/run-event.js';
import type { ReviewSpec, RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { reviewSpend } from '../model/spend-lanes.js';
import { startOf } from '../model/work.js';
import { isFingerprint } from '../observation/files/status-fingerprint.js';
import { type Evidence, makeEvidence } from '../observation/review/evidence.js';
import { loadPrompt } from './prompt.js';
import { keepText } from './raw-output.js';
import { overBudget, type ReviewReply } from './reviewer.js';
import type { RunContext } from './run-context.js';

const CONTEXT_LINES = 3;
const MOST_TASK_BYTES = 1024 * 1024;

type Ended = EventBodies['review-ended'];

const NOT_IN_CODE: ReviewProblem = {
  kind: 'missing',
  message: 'the reviewer is in the code that started the run: resume it from there',
};

/** A review of the work in a run. */
export async function runReview(context: RunContext, cause: ReviewCause): Promise<void> {
  const { spec, runId, journal, stop } = context;
  const { review } = spec;
  if (review === undefined) return;
  const { iterations: iteration, trees } = journal.state;
  const tree = trees.at(-1);
  const evidence = makeEvidence(await evidenceOf(context, review, tree), cause);
  const place = context.outputPlace?.(iteration, journal.state.recent.at(-1)?.try ?? 1);
  if (place !== undefined) keepText(place, 'review.md', evidence.prompt);
  const obstacle = await changedReviewer(context, review, tree);
  const about = { iteration, tree, cause };
  await recordReview(context, {
    about,
    evidence,
    obstacle,
    cookie: `${runId}.${iteration}.review`,
    signal: stop.agent,
  });
}

export type Reviewing = Pick<RunContext, 'spec' | 'reviewer' | 'journal' | 'record' | 'checkRecord' | 'redact'>;

export interface ReviewSubject {
  readonly about: Pick<Ended, 'iteration' | 'tree' | 'cause' | 'index'>;
  readonly evidence: Evidence;
  /** Why it cannot be made. */
  readonly obstacle?: ReviewProblem | undefined;
  readonly cookie: string;
  /** Ends it, without an answer. */
  readonly signal: AbortSignal;
}

/** What came of a review: an opinion, why there is none, or neither, if it was cut short. */
export type Reviewed = Pick<Ended, 'opinion' | 'problem'>;

/** One review, recorded from its start to its end. */
export async function recordReview(
  { spec, reviewer, journal, record, checkRecord, redact }: Reviewing,
  { about: subject, evidence, obstacle: given, cookie, signal }: ReviewSubject,
): Promise<Reviewed> {
  const { review } = spec;
  if (review === undefined) return {};
  const startedAtMs = performance.now();
  const about = { ...subject, reviewer: reviewer?.name ?? 'a reviewer in code', evidence: evidence.digest };
  const beforeUsd = spentUsd(journal.state) ?? 0;
  record({ type: 'review-started', ...about });
  // Nothing is spent that is not on record.
  checkRecord();
  const obstacle = given ?? budgetProblem(journal.state, review);
  const { index } = subject;
  const reply: ReviewReply =
    obstacle === undefined && reviewer !== undefined
      ? await reviewer.ask(
          {
            prompt: evidence.prompt,
            budgetUsd: review.maxCostUsd - beforeUsd,
            isOver: () => (spentUsd(journal.state) ?? 0) > review.maxCostUsd,
            cookie,
            signal,
          },
          (usage) => record({ type: 'usage-reported', ...usage, index, review: true }),
        )
      : { problem: obstacle ?? NOT_IN_CODE };
  const reviewed = outcomeOf(reply, redact);
  const costUsd = costSince(journal.state, beforeUsd);
  const durationMs = Math.round(performance.now() - startedAtMs);
  record({ type: 'review-ended', ...about, ...reviewed, durationMs, ...(costUsd === undefined ? {} : { costUsd }) });
  return reviewed;
}

function outcomeOf(reply: ReviewReply, redact: (text: string) => string): Reviewed {
  if (reply === undefined) return {};
  if ('problem' in reply) return { problem: { ...reply.problem, message: redact(reply.problem.message) } };
  return { opinion: reply.opinion };
}

function spentUsd({ spend }: RunState): number | undefined {
  const spent = reviewSpend(spend);
  return spent === undefined ? 0 : spent.costUsd;
}

function costSince(state: RunState, beforeUsd: number): number | undefined {
  const now = spentUsd(state);
  return now === undefined || reviewSpend(state.spend) === undefined ? undefined : Math.max(0, now - beforeUsd);
}

/** What no one knows the price of cannot be held to a budget. */
function budgetProblem(state: RunState, { maxCostUsd }: ReviewSpec): ReviewProblem | undefined {
  const spent = spentUsd(state);
  if (spent === undefined) {
    return { kind: 'budget', message: 'what reviews cost is not known: give the price of the model under `prices`' };
  }
  return spent >= maxCostUsd ? overBudget(maxCostUsd) : undefined;
}

/** A reviewer that lies in the working directory is the agent's to change. */
async function changedReviewer(
  { spec, tree: watch, journal }: RunContext,
  { agent }: ReviewSpec,
  now: string | undefined,
): Promise<ReviewProblem | undefined> {
  const { tree: start } = startOf(journal.state);
  const [program = ''] = agent?.command ?? [];
  const path = relative(spec.workingDir, isAbsolute(program) ? program : `${spec.workingDir}/${program}`);
  const isInside = program.includes('/') && !path.startsWith('..');
  if (!isInside || watch === undefined || start === undefined || now === undefined || start === now) return undefined;
  if (isFingerprint(start) || isFingerprint(now)) return undefined;
  const changed = await watch.history.earlierFiles({ before: start, after: now, mostBytes: 0 }, (one) => one === path);
  if ('error' in changed || changed.length === 0) return undefined;
  return {
    kind: 'changed',
    message: `${path} has changed since the start of the run: restore it, or accept it by a new run`,
  };
}

async function evidenceOf(
  { journal, spec, tree: watch, redact }: RunContext,
  review: ReviewSpec,
  now: string | undefined,
) {
  const { state } = journal;
  const { tree: start, tests: testsBefore } = startOf(state);
  const { tests: testsAfter, lastMessage } = state.latest.observation;
  const diff = await diffOf(watch, start, now);
  return {
    task: redact(await taskOf(spec, watch, { start, firstLine: state.task })),
    goal: review.goal,
    userWords: state.userWords?.map(redact),
    testsBefore,
    testsAfter,
    lastMessage: lastMessage ?? state.recent.at(-1)?.summary,
    diff: typeof diff === 'string' ? redact(diff) : diff,
  };
}

async function diffOf(
  watch: RunContext['tree'],
  start: string | undefined,
  now: string | undefined,
): Promise<string | { readonly problem: string }> {
  if (watch === undefined) return { problem: 'changes are not tracked' };
  if (start === undefined || now === undefined) return { problem: 'a snapshot is missing' };
  if (isFingerprint(start) || isFingerprint(now)) return { problem: 'there are too many files for snapshots' };
  const patch = await watch.history.patch(start, now, CONTEXT_LINES);
  return 'error' in patch ? { problem: patch.error } : patch.toString('utf8');
}

/** The prompt as it was at the start: its file is the agent's to change. */
async function taskOf(
  { promptPath, ...spec }: RunSpec,
  watch: RunContext['tree'],
  { start, firstLine }: { readonly start: string | undefined; readonly firstLine: string | undefined },
): Promise<string> {
  if (spec.prompt !== undefined) return spec.prompt;
  const path = relative(spec.workingDir, promptPath);
  const isOutside = path.startsWith('..');
  if (watch !== undefined && start !== undefined && !isFingerprint(start) && !isOutside) {
    const trees = { before: start, mostBytes: MOST_TASK_BYTES };
    const files = await watch.history.earlierFiles(trees, (one) => one === path);
    const content = 'error' in files ? undefined : files[0]?.before?.content;
    if (content !== undefined) return content.toString('utf8');
  }
  const began = firstLine === undefined ? '' : ` At the start it began: ${quote(firstLine)}`;
  const note = `[${path} is in no snapshot: this is how it is now, and the agent may have changed it.${began}]\n`;
  try {
    return `${isOutside ? '' : note}${loadPrompt({ promptPath, ...spec })}`;
  } catch (error) {
    return `(the task cannot be read: ${messageOf(error)})`;
  }
}
