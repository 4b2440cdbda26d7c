import type { Observation } from './observation.js';
import { isQuiet, measureWork, type Work } from './work.js';
import { isAnswerExpected } from './questions.js';
import { isNewLow, isNewStreakLow, madeProgress } from './progress.js';
import type { EventOf } from './run-event.js';
import type { RunState, Streaks } from './run-state.js';
import { allPassed, failingTests, lostTests, printedSame, type TestResults } from './test-results.js';
import { isRefusal } from './wait-policy.js';

type IterationEnded = EventOf<'iteration-ended'>;

/**
 * By version 1 of `no_progress` any change of the tree is progress, and only a new record of the tests is a gain. By version 2
 * it does not matter whose lines are replaced.
 */
export function workOf(state: RunState, observation: Observation, tree: string | undefined): Work {
  const work = measureWork(state, observation, tree);
  const version = versionOf(state, 'no_progress');
  if (version > 2) return work;
  const { gain, moves, advance, isNew } = work;
  const progress = version > 1 ? gain || moves || advance || isNew : madeProgress(observation, state.tests);
  return { ...work, rewrites: false, measures: false, progress };
}

function versionOf({ rules }: RunState, type: string): number {
  return rules?.[type] ?? 1;
}

/** What an iteration showed besides its work. */
interface Shown {
  /** The files are as they were at an earlier time. */
  readonly returned: boolean;
  readonly isTreeKnown: boolean;
  readonly saysDone: boolean;
}

export function nextStreaks(
  state: RunState,
  event: IterationEnded,
  work: Work,
  { returned, isTreeKnown, saysDone }: Shown,
): Streaks {
  const { streaks } = state;
  if (isRefusal(event.outcome)) return streaks;
  const { tests } = event.observation;
  const clean = event.outcome === 'completed' && state.latest.errors.length === 0;
  return {
    ...streaks,
    ...(tests === undefined ? {} : testStreaks(state, tests, work, { returned, saysDone })),
    failures: failureStreak(streaks.failures, event),
    oscillations: returnsAfter(state, work, returned),
    doneStreak: saysDone ? doneStreakAfter(state, work) : undefined,
    quiet: quietAfter(state, event),
    toolFailures: toolFailuresAfter(state, event.observation, work),
    ...(saysNothing(event) || isAnswerExpected(state)
      ? {}
      : {
          ...progressStreak(streaks, work),
          ...requestStreak(streaks, event.observation, work),
          unknown: unknownOf(work.progress, isTreeKnown),
        }),
    ...(clean ? { sameError: 0, lastError: undefined } : {}),
  };
}

/** An experiment that is undone, and then another one, is how people work. So is going back while the tests improve. */
function returnsAfter(state: RunState, { gain, isNew }: Work, returned: boolean): number {
  const { oscillations } = state.streaks;
  if (returned) return versionOf(state, 'oscillation') > 1 && gain ? 0 : oscillations + 1;
  return versionOf(state, 'oscillation') > 1 && (gain || isNew === true) ? 0 : oscillations;
}

/** Said again without anything new since: the agent insists. */
function doneStreakAfter(state: RunState, { gain, advance, isNew }: Work): number {
  const { doneStreak = 0 } = state.streaks;
  if (gain || advance || isNew === true) return 1;
  return isNew === undefined && versionOf(state, 'false_done') > 1 ? Math.max(1, doneStreak) : doneStreak + 1;
}

/** What is not known neither adds to the streak nor breaks it. */
function quietAfter({ streaks, latest }: RunState, { outcome, observation }: IterationEnded): number | undefined {
  const quiet = isQuiet(outcome, latest, observation);
  return quiet === undefined ? streaks.quiet : quiet ? (streaks.quiet ?? 0) + 1 : undefined;
}

/** The same call of a tool that fails in the same way in every iteration, while the tests do not get better. */
function toolFailuresAfter(
  state: RunState,
  { toolFailures, tests }: Observation,
  { gain, advance, isNew }: Work,
): Streaks['toolFailures'] {
  if (toolFailures === undefined || toolFailures.length === 0) return undefined;
  const before = gain || advance ? undefined : state.streaks.toolFailures;
  const sixths = isNew === true ? failureSixths(state, tests) : 6;
  return Object.fromEntries(
    toolFailures.map(({ digest, text }) => {
      const { count, weight } = before?.[digest] ?? { count: 0, weight: 0 };
      return [digest, { count: count + 1, weight: Math.round(weight * 6 + sixths) / 6, text }];
    }),
  );
}

/** Next to new work an error may be older than the run, or stay until the last part is there. It stops nothing while the tests pass. */
function failureSixths(state: RunState, tests: TestResults | undefined): number {
  if (versionOf(state, 'same_tool_failure') < 2) return 4;
  return tests !== undefined && allPassed(tests) ? 0 : 3;
}

/** An agent whose tests improve is not waiting for a person, although it asks. */
function requestStreak(
  streaks: Streaks,
  { request }: Observation,
  { gain, advance, isNew }: Work,
): Pick<Streaks, 'requests' | 'lastRequest'> {
  if (request === undefined) return { requests: undefined, lastRequest: undefined };
  if (request.kind === 'none' || gain || advance) return { requests: 0, lastRequest: undefined };
  return {
    requests: (streaks.requests ?? 0) + 1,
    lastRequest: { ...request, changedNothing: isNew === undefined ? undefined : !isNew },
  };
}

function unknownOf(progress: boolean | undefined, isTreeKnown: boolean): Streaks['unknown'] {
  if (progress !== undefined && isTreeKnown) return undefined;
  return { progress: progress === undefined ? true : undefined, tree: isTreeKnown ? undefined : true };
}

/** A red iteration adds; a gain breaks the streak, although the strict count continues. Tests that are lost are not red. */
function testStreaks(state: RunState, tests: TestResults, work: Work, shown: RedShown): Partial<Streaks> {
  const { streaks, baseline } = state;
  const byFirstRule = firstRuleStreak(state, tests);
  if (allPassed(tests))
    return { ...byFirstRule, testFailures: 0, strictTestFailures: 0, redWeight: undefined, lostTests: undefined };
  if (lostTests(tests, baseline?.tests) !== undefined)
    return { ...byFirstRule, lostTests: (streaks.lostTests ?? 0) + 1 };
  const byThirdRule = versionOf(state, 'test_failure_streak') > 2;
  return {
    ...byFirstRule,
    ...(byThirdRule ? redStreak(state, tests, work, shown) : { testFailures: testFailuresAfter(state, tests) }),
    strictTestFailures: streaks.strictTestFailures + 1,
    lostTests: undefined,
  };
}

type RedShown = Pick<Shown, 'returned' | 'saysDone'>;

/**
 * What weighs less is not endless: a run whose tests only move ends after three times as many iterations. To restore the files
 * after an experiment is part of it; `oscillation` ends what only goes to and fro.
 */
function redStreak(
  state: RunState,
  tests: TestResults,
  work: Work,
  { returned, saysDone }: RedShown,
): Pick<Streaks, 'testFailures' | 'redWeight'> {
  const { testFailures, redWeight = 0 } = state.streaks;
  if (work.gain) return { testFailures: 0, redWeight: 0 };
  const before = state.factsBefore?.observation.tests;
  const byThirdRule = redSixths(tests, before, { ...work, isNew: returned || work.isNew });
  const isOlder = versionOf(state, 'test_failure_streak') < 4;
  const shown = {
    saysDone,
    isWorse: failMore(tests, before),
    wasGreen: state.tests.fewestFailed === 0,
    grows: work.isNew === true && !work.rewrites,
  };
  const weight = isOlder ? byThirdRule : redSixthsNow(byThirdRule, shown);
  return { testFailures: testFailures + 1, redWeight: Math.round(redWeight * 6 + weight) / 6 };
}

/** Where nothing is counted, only what the tests print shows whether anything has changed; silent ones show nothing. */
function redSixths(tests: TestResults, before: TestResults | undefined, { moves, isNew }: Work): number {
  const isCounted = failingTests(tests) !== undefined;
  const isSame = isCounted ? !moves : printedSame(before, tests);
  if (isSame === undefined) return 0;
  if (!isSame) return 2;
  if (isNew !== true) return 6;
  return isCounted ? 4 : 3;
}

/**
 * Since version 4: an agent that calls it done over tests that did not move is not on its way, nor is one that breaks more of
 * them. One that rebuilds what passed is red until its last part is there, as long as the work grows.
 */
function redSixthsNow(
  byThirdRule: number,
  { saysDone, isWorse, wasGreen, grows }: Readonly<Record<'saysDone' | 'isWorse' | 'wasGreen' | 'grows', boolean>>,
): number {
  if (byThirdRule < 3) return byThirdRule;
  if (saysDone || (isWorse && !wasGreen)) return 6;
  return wasGreen && grows ? 3 : byThirdRule;
}

function failMore(tests: TestResults, before: TestResults | undefined): boolean {
  const [now, then] = [failingTests(tests), before && failingTests(before)];
  return now !== undefined && then !== undefined && now > then;
}

/** Version 1 of `test_failure_streak`: only a new low of the whole run breaks it, and every red result adds to it. */
function firstRuleStreak(state: RunState, tests: TestResults): Partial<Streaks> {
  const { streaks, tests: record } = state;
  if (versionOf(state, 'test_failure_streak') > 1) return {};
  if (allPassed(tests)) return { testFailuresV1: 0, strictTestFailuresV1: 0 };
  const before = streaks.testFailuresV1 ?? streaks.testFailures;
  return {
    testFailuresV1: isNewLow(tests, record) ? 0 : before + 1,
    strictTestFailuresV1: (streaks.strictTestFailuresV1 ?? streaks.strictTestFailures) + 1,
  };
}

/** Where nothing is counted, only what the tests print shows whether anything has changed. */
function testFailuresAfter({ streaks, tests: record, factsBefore }: RunState, tests: TestResults): number {
  const isStuck =
    failingTests(tests) === undefined
      ? printedSame(factsBefore?.observation.tests, tests)
      : !isNewStreakLow(tests, record);
  return isStuck === undefined ? streaks.testFailures : isStuck ? streaks.testFailures + 1 : 0;
}

/** What the operator, a crash or a foreign limit cut short says nothing about progress. */
function saysNothing({ outcome, interruption }: IterationEnded): boolean {
  const isForeign = interruption === 'operator' || interruption === 'crash' || interruption === 'unpushed';
  return outcome === 'skipped' || (outcome === 'interrupted' && isForeign);
}

/** Other lines in place of its own may be attempts at something better, and another result a step on the way: they weigh two thirds. */
function progressStreak(
  { withoutProgress, idleWeight = withoutProgress }: Streaks,
  { progress, rewrites, measures }: Work,
): Pick<Streaks, 'withoutProgress' | 'idleWeight'> {
  if (progress === undefined) return { withoutProgress, idleWeight };
  if (progress) return { withoutProgress: 0, idleWeight: 0 };
  return {
    withoutProgress: withoutProgress + 1,
    idleWeight: Math.round(idleWeight * 6 + (rewrites || measures ? 4 : 6)) / 6,
  };
}

function failureStreak(streak: number, { outcome }: IterationEnded): number {
  if (outcome === 'failed' || outcome === 'timed-out') return streak + 1;
  return outcome === 'completed' ? 0 : streak;
}
