import { doneClaimOf } from './claim.js';
import { leavesOf } from './condition.js';
import { neededBy } from './condition-catalog.js';
import { isGreen, isTreeChanged, withTests } from './progress.js';
import { lastResults, isUnstarted, startOf, ownChangesAfter, seenAfter } from './work.js';
import type { Observation } from './observation.js';
import { originalsAfter, originalsProblem } from './original-tests.js';
import { openIteration, refusedIn } from './phase.js';
import { policyEntries, policyLeaves } from './policy.js';
import { afterIteration } from './questions.js';
import type { EventOf } from './run-event.js';
import { errorFingerprint } from './error-fingerprint.js';
import type { HistorySummary, IterationSummary, RunState, SeenError } from './run-state.js';
import { endIteration } from './report-spend.js';
import { iterationSpend } from './spend-account.js';
import { testFilesAmong } from './file-kind.js';
import { reviewAfterIteration } from './reduce-review.js';
import { isRefusal, refusedAfter } from './wait-policy.js';
import { goalsAfter } from './reduce-goals.js';
import { afterTests } from './tool-use.js';
import { nextStreaks, workOf } from './reduce-streaks.js';

const KEPT_ITERATIONS = 100;
export const KEPT_TREES = 256;
const KEPT_OUTPUTS = 1000;
const KEPT_TEST_FILES = 100;
const SUMMARY_CHARACTERS = 500;

type IterationEnded = EventOf<'iteration-ended'>;

/** Books an ended iteration: spend, streaks, tests, trees, history. */
export function endOfIteration(state: RunState, event: IterationEnded): RunState {
  const ended = isUnstarted(event) ? withoutAgent(state, event) : withAgent(state, event);
  return state.phase.name === 'ended' ? { ...ended, phase: state.phase } : ended;
}

/** Adds what Pawl's own commands were seen to write. */
export function addedOutputs({ testOutputs = [] }: RunState, observation: Observation): Pick<RunState, 'testOutputs'> {
  if (observation.testOutputs === undefined) return {};
  return { testOutputs: [...new Set([...testOutputs, ...observation.testOutputs])].slice(0, KEPT_OUTPUTS) };
}

/** The provider let nothing through, or the process died and the agent continues where it was: the number is free again. */
function isGivenBack({ kind }: RunState, { outcome, interruption }: IterationEnded): boolean {
  return isRefusal(outcome) || (kind === 'agent' && interruption === 'crash');
}

/** Nothing was done: what was known before is still what is known, and the number is free again. */
function withoutAgent(state: RunState, { iteration, interruption }: IterationEnded): RunState {
  return {
    ...state,
    phase: { name: 'resting' },
    unstarted: { iteration, try: openIteration(state)?.try ?? 1 },
    spend: endIteration(state.spend, { agentStarted: false }),
    latest: state.factsBefore ?? state.latest,
    factsBefore: undefined,
    ...afterIteration(state, false),
    // Runners that die one after the other have to end at some time.
    crashesInARow: interruption === 'crash' ? state.crashesInARow : 0,
  };
}

function withAgent(state: RunState, event: IterationEnded): RunState {
  const { observation, outcome } = event;
  const known = knownAfter(state, event);
  const isFree = isRefusal(outcome) && event.unanswered === true;
  const spend = endIteration(state.spend, {
    ...(isFree ? { agentStarted: false } : event),
    isImported: state.kind === 'imported',
  });
  const tree = observation.files?.treeAfter ?? observation.tree ?? observation.fingerprint?.after;
  const returned = tree !== undefined && tree !== state.trees.at(-1) && state.trees.includes(tree);
  const work = workOf(state, observation, tree);
  const { progress } = work;
  const estimated =
    spend.estimatedIterations + spend.unknownIterations >
    state.spend.estimatedIterations + state.spend.unknownIterations;
  const streaks = nextStreaks(state, event, work, {
    returned,
    isTreeKnown: tree !== undefined,
    // Where nothing is to be verified, nothing shows that it is not done.
    saysDone: saysDone(state) && policyEntries(state.policy).some((entry) => entry.class === 'goal'),
  });
  const summary = summarise(state, event, { progress, tree, estimated, spent: iterationSpend(spend) });
  return {
    ...state,
    phase: { name: 'resting', refused: refusedAfter(refusedIn(state.phase), event) },
    iterations: isGivenBack(state, event) ? state.iterations : state.iterations + 1,
    spend,
    streaks,
    tests: observation.tests === undefined ? state.tests : withTests(state.tests, observation.tests),
    latest: {
      ...state.latest,
      observation: known,
      agentRan: event.agentStarted,
      newContent: work.isNew,
      errors: withError(state.latest.errors, event),
    },
    lastLook:
      (known.tests ?? known.checks) === undefined ? lastResults(state, state.factsBefore?.observation) : undefined,
    trees: tree === undefined ? state.trees : [...state.trees, tree].slice(-KEPT_TREES),
    recent: [...state.recent, summary].slice(-KEPT_ITERATIONS),
    history: isGivenBack(state, event) ? state.history : addToHistory(state.history, event),
    ...(isRefusal(outcome)
      ? {}
      : goalsAfter(state, observation, { iteration: event.iteration, tree: observation.files?.treeAfter })),
    ...seenAfter(state, observation),
    ownChanges: ownChangesAfter(state.ownChanges, observation),
    ...guardAfter(state, event),
    ...addedOutputs(state, observation),
    ...workFigures(state, observation),
    ...originalsIn(state, observation, tree),
    ...reviewAfterIteration(state, tree, streaks),
    ...(observation.request?.kind === 'request' ? { question: observation.request.sentence } : {}),
    ...afterIteration(state, hasAgentWorked(event)),
    requests: hasAgentWorked(event) ? { ...state.requests, steers: unsentSteers(state) } : state.requests,
    handover: hasAgentWorked(event) ? undefined : state.handover,
    factsBefore: undefined,
    unstarted: undefined,
    crashesInARow: event.interruption === 'crash' ? state.crashesInARow : 0,
  };
}

function originalsIn(
  state: RunState,
  { original, tests }: Observation,
  tree: string | undefined,
): Pick<RunState, 'originals'> {
  if (original === undefined || tests === undefined) return {};
  const problem = original.unusable ?? originalsProblem(original, tests, startOf(state).tests);
  return { originals: originalsAfter(state.originals, original, problem, tree) };
}

/** How often the agent said that it was done, which tests it changed, and whether those that it ran become better. */
function workFigures(
  state: RunState,
  { files, tests }: Observation,
): Pick<RunState, 'saidDone' | 'testFiles' | 'toolUse'> {
  const { saidDone, testFiles = {}, toolUse } = state;
  const isNew = (path: string) => testFiles[path] === undefined;
  const created = testFilesAmong(files?.created ?? []).filter(isNew);
  const changed = testFilesAmong([...(files?.modified ?? []), ...(files?.deleted ?? [])]).filter(isNew);
  const found = [
    ...Object.entries(testFiles),
    ...created.map((path) => [path, 'created'] as const),
    ...changed.map((path) => [path, 'changed'] as const),
  ].slice(0, KEPT_TEST_FILES);
  return {
    ...(toolUse === undefined ? {} : { toolUse: afterTests(toolUse, tests) }),
    ...(saysDone(state) ? { saidDone: (saidDone ?? 0) + 1 } : {}),
    ...(created.length + changed.length > 0 ? { testFiles: Object.fromEntries(found) } : {}),
  };
}

/** By a claim, or by words that the policy takes for a goal. */
export function saysDone({ latest, policy }: Pick<RunState, 'latest' | 'policy'>): boolean {
  if (doneClaimOf(latest) !== undefined) return true;
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  const leaves = goals.flatMap(({ condition }) => leavesOf(condition));
  return [...neededBy(leaves, 'output').keys()].some((key) => key in latest.matches);
}

/** After an iteration in which protected files were not watched, or that changed protected files, later ones are compared with what was before it. */
function guardAfter({ policy, guard, guardBroken }: RunState, ended: IterationEnded): Partial<RunState> {
  const { iteration, observation } = ended;
  const seen = [...neededBy(policyLeaves(policy), 'guard').keys()].map((key) => observation.probes?.[key]);
  const broken = seen.find((probe) => probe?.met === true);
  if (broken !== undefined) {
    const { detail = 'protected files changed' } = broken;
    return { guard, unguarded: true, guardBroken: guardBroken ?? { iteration, detail } };
  }
  if (seen.some((probe) => probe?.met === undefined)) return { guard, unguarded: true };
  return { guard: observation.guard ?? guard, unguarded: undefined, guardBroken: undefined };
}

/** A try that was refused before it changed anything leaves what was known before as it was. */
function knownAfter({ factsBefore }: RunState, { outcome, observation }: IterationEnded): Observation {
  if (!isRefusal(outcome) || isTreeChanged(observation) === true) return observation;
  const { tests, checks, probes, confirmations } = factsBefore?.observation ?? {};
  return { tests, checks, confirmations, ...observation, probes: { ...probes, ...observation.probes } };
}

/** Messages that came too late for the prompt. What an iteration that nothing came of was sent, the next one is sent again. */
function unsentSteers(state: RunState): readonly string[] {
  const { steers } = state.requests;
  return steers.slice(steers.length - (openIteration(state)?.steersSince ?? 0));
}

function hasAgentWorked({ agentStarted, outcome, interruption }: IterationEnded): boolean {
  return agentStarted && !isRefusal(outcome) && interruption !== 'crash' && interruption !== 'unpushed';
}

/** An iteration may fail without its agent saying a word. */
function withError(errors: readonly SeenError[], { error, outcome }: IterationEnded): readonly SeenError[] {
  if (error === undefined || errors.length > 0 || outcome === 'skipped' || isRefusal(outcome)) return errors;
  return [{ kind: 'other', message: error, fingerprint: errorFingerprint(error) }];
}

interface Worked {
  readonly progress: boolean | undefined;
  readonly tree: string | undefined;
  readonly estimated: boolean;
  readonly spent: IterationSummary['spend'];
}

function summarise(state: RunState, event: IterationEnded, worked: Worked): IterationSummary {
  const { observation } = event;
  const open = openIteration(state);
  return {
    iteration: event.iteration,
    try: open?.try ?? 1,
    outcome: event.outcome,
    interruption: event.interruption,
    startedAt: open?.startedAt ?? event.at,
    endedAt: event.at,
    durationMs: event.durationMs,
    activeMs: Math.max(state.activeMs, event.activeMs),
    spend: worked.estimated ? (state.spend.dearest ?? {}) : worked.spent,
    estimated: worked.estimated,
    madeProgress: worked.progress,
    tree: worked.tree,
    changedFiles: observation.files?.changedFiles,
    testsPassed: observation.tests?.passed,
    testsFailed: observation.tests?.failed,
    ...greenOf(state, event, worked.tree),
    summary: observation.summary?.slice(0, SUMMARY_CHARACTERS),
    error: event.error?.slice(0, SUMMARY_CHARACTERS),
  };
}

/** What the iteration ended with needs no way back to it. */
function greenOf(
  state: RunState,
  { observation }: IterationEnded,
  tree: string | undefined,
): Pick<IterationSummary, 'green'> {
  const { tests } = observation;
  const green = openIteration(state)?.green;
  if (green === undefined || green.tree === tree) return {};
  return tests !== undefined && isGreen(tests, state.baseline?.tests) ? {} : { green };
}

function addToHistory(history: HistorySummary, event: IterationEnded): HistorySummary {
  const { outcome, observation } = event;
  const { files, tests } = observation;
  return {
    totalIterations: history.totalIterations + 1,
    successfulIterations: history.successfulIterations + (outcome === 'completed' ? 1 : 0),
    failedIterations: history.failedIterations + (outcome === 'failed' ? 1 : 0),
    timedOutIterations: history.timedOutIterations + (outcome === 'timed-out' ? 1 : 0),
    totalDurationMs: history.totalDurationMs + event.durationMs,
    totalFilesModified: history.totalFilesModified + (files?.modified.length ?? 0),
    totalFilesCreated: history.totalFilesCreated + (files?.created.length ?? 0),
    totalTestsRun: history.totalTestsRun + (tests?.total ?? 0),
    totalTestsPassed: history.totalTestsPassed + (tests?.passed ?? 0),
    totalTestsFailed: history.totalTestsFailed + (tests?.failed ?? 0),
  };
}
