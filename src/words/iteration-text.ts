import { formatDuration } from '../model/duration.js';
import { count, plural, quote } from '../model/figures.js';
import type { EventOf, IterationOutcome } from '../model/run-event.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { isRefusal } from '../model/wait-policy.js';
import { costSoFar } from './spend-text.js';
import type { Observation } from '../model/observation.js';
import {
  allPassed,
  cannotBeRun,
  isFailing,
  type TestDetail,
  type TestResults,
  testsRan,
} from '../model/test-results.js';

type Ended = EventOf<'iteration-ended'>;

const OUTCOMES: Readonly<Record<Ended['outcome'], string>> = {
  completed: 'completed',
  failed: 'failed',
  'timed-out': 'timed out',
  skipped: 'skipped',
  interrupted: 'interrupted',
  limited: 'limited',
};

const INTERRUPTIONS = {
  limit: 'by a limit',
  failure: 'by a failure condition',
  operator: 'by the operator',
  crash: 'by a crash',
  unpushed: 'before its work was pushed',
} as const satisfies Record<NonNullable<Ended['interruption']>, string>;

export function outcomeText({ outcome, interruption }: Pick<Ended, 'outcome' | 'interruption'>): string {
  return interruption === undefined ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} ${INTERRUPTIONS[interruption]}`;
}

/** One sentence of an iteration that has ended, with the state before and after it. */
export function iterationText(ended: Ended, before: RunState, after: RunState): string {
  const { iteration, durationMs, observation } = ended;
  const cost = costSoFar(after);
  return [
    `iteration ${iteration} ${outcomeText(ended)} in ${formatDuration(durationMs)}`,
    observation.tests === undefined ? undefined : testsText(observation.tests, testsPassedSoFar(before)),
    filesText(ended),
    cost === undefined ? undefined : `${cost} so far`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

export function filesText({ observation }: Pick<Ended, 'observation'>): string | undefined {
  const changed = observation.files?.changedFiles;
  if (changed === undefined) return undefined;
  return changed === 0 ? 'no change' : plural(changed, 'file');
}

/** `5 (1 timed out, 1 interrupted)`: how many there were, and those that did not end as they should. */
export function iterationsText(state: RunState): string {
  const { iterations, history } = state;
  const parts = [
    part(history.failedIterations, 'failed'),
    part(history.timedOutIterations, 'timed out'),
    ...(recentIsComplete(state) ? cutShort(state) : cutShortInAll(state)),
  ].filter((text) => text !== undefined);
  return `${count(iterations)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** A refused one gives its number back: it is a try, and not one of those counted. */
function cutShort({ recent }: RunState): readonly (string | undefined)[] {
  const withOutcome = (wanted: IterationOutcome) => recent.filter(({ outcome }) => outcome === wanted).length;
  const refused = recent.filter(({ outcome }) => isRefusal(outcome)).length;
  const crashed = recent.filter(({ interruption }) => interruption === 'crash').length;
  const cutOff = recent.filter(isCutOff).length;
  return [
    part(crashed, 'cut short'),
    part(cutOff, 'ended early by Pawl'),
    part(withOutcome('interrupted') - crashed - cutOff, 'interrupted'),
    part(withOutcome('skipped'), 'skipped'),
    refused === 0 ? undefined : `plus ${count(refused)} ${refused === 1 ? 'try' : 'tries'} that did not get through`,
  ];
}

function isCutOff({ outcome, interruption }: IterationSummary): boolean {
  return outcome === 'interrupted' && (interruption === 'failure' || interruption === 'limit');
}

/** Of a long run it is only known how many were neither completed nor failed. */
function cutShortInAll({ history }: RunState): readonly (string | undefined)[] {
  const { totalIterations, successfulIterations, failedIterations, timedOutIterations } = history;
  const others = totalIterations - successfulIterations - failedIterations - timedOutIterations;
  return [part(others, 'interrupted or skipped')];
}

function part(number: number, what: string): string | undefined {
  return number > 0 ? `${count(number)} ${what}` : undefined;
}

/** Whether the fold still holds every iteration of the run, from the first try of the first one. */
export function recentIsComplete({ recent }: RunState): boolean {
  const [first] = recent;
  return first === undefined || (first.iteration === 1 && first.try === 1);
}

const MOST_LINES_OF_OUTPUT = 10;

/** What the agent's tool printed; Pawl has not run the tests on these files. */
export function passedText(passed: number): string {
  return `${plural(passed, 'test')} passed in the agent's run`;
}

/** `6 of 8 tests pass (+2)`; by the exit code where nothing was counted. */
export function testsText(tests: TestResults, before?: number): string {
  const ran = testsRan(tests);
  const believed = tests.source === 'agent' ? ', says the agent' : '';
  if (ran === undefined || tests.passed === undefined) return `${uncountedText(tests)}${believed}`;
  if (ran === 0) return `no tests were found${believed}`;
  const change = before === undefined ? 0 : tests.passed - before;
  const gain = change === 0 ? '' : ` (${change > 0 ? '+' : ''}${change})`;
  return `${count(tests.passed)} of ${count(ran)} tests pass${gain}${flakyText(tests)}${believed}`;
}

/** They failed where they had passed before, and passed when Pawl ran them again. */
function flakyText({ flaky = [] }: TestResults): string {
  return flaky.length === 0 ? '' : `, ${count(flaky.length)} only in a second run`;
}

function uncountedText(tests: TestResults): string {
  if (tests.timedOut === true) return 'the tests timed out';
  if (cannotBeRun(tests)) return `the tests cannot be run (exit code ${tests.exitCode})`;
  return `the tests ${allPassed(tests) ? 'pass' : 'fail'}`;
}

/** The last lines of what failing tests printed, kept where nothing could be counted. */
export function testsOutput(tests: TestResults): readonly string[] {
  const { output } = tests;
  if (output === undefined || testsRan(tests) !== undefined || allPassed(tests)) return [];
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').slice(-MOST_LINES_OF_OUTPUT);
}

/** How many tests passed when they were last inspected, before what is recorded next. */
export function testsPassedSoFar({ recent, baseline }: RunState): number | undefined {
  return recent.findLast((iteration) => iteration.testsPassed !== undefined)?.testsPassed ?? baseline?.tests?.passed;
}

/** The tests at the start and now. What the last iteration did not show is not known, whatever was seen before. */
export function testsThenAndNow({ baseline, latest, iterations, spec }: RunState): string | undefined {
  const then = baseline?.tests;
  const now = latest.observation.tests;
  if (iterations === 0 && (now !== undefined || then === undefined)) return now && testsText(now);
  if (now === undefined && then === undefined && spec?.tests === undefined) return undefined;
  const before = then === undefined ? '' : `before: ${testsText(then)}; `;
  if (now === undefined) return `${before}not run${iterations === 0 ? '' : ` after iteration ${count(iterations)}`}`;
  return `${before}${before && 'now: '}${testsText(now)}${failingText(latest.observation)}`;
}

const MOST_NAMES = 3;
const MOST_OF_ERROR = 160;

/** Of one failing test also what it printed; `pawl show RUN N` has that of each. */
function failingText(observation: Observation): string {
  const failing = failingTests(observation);
  const [only] = failing;
  if (only === undefined) return '';
  if (failing.length === 1) return `; failing: ${testWithError(only)}`;
  const others = failing.length > MOST_NAMES ? ` and ${count(failing.length - MOST_NAMES)} more` : '';
  const names = failing.slice(0, MOST_NAMES).map(({ name }) => quote(name, 60));
  return `; failing: ${names.join(', ')}${others}`;
}

/** `"keeps a comma": expected 'a,b'`. */
export function testWithError({ name, error }: TestDetail): string {
  return `${quote(name, 60)}${error === undefined ? '' : `: ${quote(error, MOST_OF_ERROR).slice(1, -1)}`}`;
}

export function failingTests({ tests }: Observation): readonly TestDetail[] {
  return (tests?.details ?? []).filter(isFailing);
}
