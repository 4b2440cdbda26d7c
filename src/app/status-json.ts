import type { ListedRun } from '../journal/list-runs.js';
import { shownStatus } from '../model/outcome.js';
import { endOf, hasEnded, isEnding, openIteration, waitingOf } from '../model/phase.js';
import { ratesOf } from '../model/pipeline-counts.js';
import { lostGreen } from '../model/progress.js';
import { questionsJson, shownQuestions } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import { reviewSpend } from '../model/spend-lanes.js';
import { judgementsNow } from '../stop/evaluate-policy.js';
import { goalFigures } from '../stop/what-is-left.js';
import { itemsOf } from '../words/item-figures.js';
import { stateAt } from '../words/state-at.js';
import { waitingItems } from '../words/waiting-items.js';
import type { Surroundings } from './surroundings.js';
import { fleetMarkOf } from './fleet-records.js';
import type { RunRecord } from './read-record.js';
import { type StaleCopy, staleJson } from './stale-copy.js';

/** For machines. */
export function statusJson(
  run: ListedRun,
  { state, items, problem }: RunRecord,
  context: Surroundings,
  stale?: StaleCopy,
) {
  const isLive = run.holder !== undefined;
  const fleet = fleetMarkOf(run, context.environment);
  return {
    runId: run.runId,
    status: shownStatus(state, isLive),
    live: isLive,
    pid: fleet === undefined ? run.holder?.pid : fleet.pid,
    fleet,
    kind: state.kind,
    ...workJson(state),
    inFlight: state.pipeline === undefined ? undefined : items.open,
    waitingItems: state.pipeline === undefined || !isLive ? undefined : waitingItems(state, items, context.now()),
    failures: state.pipeline === undefined ? undefined : items.failures,
    open: openJson(state),
    waiting: waitingOf(state),
    question: shownQuestions(state)[0]?.text ?? state.question,
    questions: questionsJson(state),
    blockedReport: state.blockedReport,
    pauseAsked: state.requests.pause,
    operatorStop: state.requests.stop,
    stopping: isEnding(state),
    hook: state.hook,
    spend: totalSpend(state.spend),
    activeMs: state.activeMs,
    startedAt: state.startedAt,
    at: state.at,
    tests: lastTests(state),
    goals: state.checklists === undefined && state.metrics === undefined ? undefined : goalFigures(state),
    keptBest: state.keptBest,
    green: lostGreen(state),
    original: state.originals?.last,
    review: reviewJson(state),
    claims: state.latest.claims,
    verdict: state.verdict,
    judgements: hasEnded(state) ? undefined : judgementsNow(present(state, isLive, context.now())),
    ended: endOf(state),
    folder: run.folder,
    problem,
    ...staleJson(shownStatus(state, isLive), hasEnded(state), stale),
  };
}

/** What the reviews have said and cost. */
function reviewJson({ review, spend, spec }: RunState) {
  const goal = spec?.review?.goal;
  if (review === undefined) return goal === undefined ? undefined : { goal };
  const { answered, last, problem, open } = review;
  return { goal, answered, last, problem, open, spend: reviewSpend(spend) };
}

/** The iteration under way, as scripts know it. */
function openJson(state: RunState) {
  const open = openIteration(state);
  if (open === undefined) return undefined;
  const { iteration, try: number, startedAt, cookie, step: status, pid, pidStartTime, steersSince } = open;
  return { iteration, try: number, startedAt, cookie, status, pid, pidStartTime, steersSince };
}

/** Nothing continues where no one runs it. */
export function present(state: RunState, isLive: boolean, nowMs: number): RunState {
  return isLive ? stateAt(state, nowMs) : state;
}

function lastTests({ latest, baseline }: RunState) {
  return latest.observation.tests ?? baseline?.tests;
}

/** What a run has done, for machines: the iterations of a loop, the items and attempts of a pipeline. */
export function workJson({ pipeline, iterations }: RunState) {
  if (pipeline === undefined) return { iterations };
  const { approved, rejected, failed, attempts, consecutiveFails } = pipeline;
  const { items: total, left } = itemsOf(pipeline);
  return { items: { total, approved, rejected, failed, left }, attempts, ...ratesOf(pipeline), consecutiveFails };
}
