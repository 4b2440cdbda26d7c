import { errorFingerprint } from './error-fingerprint.js';
import { hasWork } from './file-kind.js';
import { shortDigest } from './json.js';
import type { Observation, EarlierStart } from './observation.js';
import { endOf } from './phase.js';
import { improves, isNewStreakLow, isTreeChanged, type TestRecord } from './progress.js';
import { areOnlyLists, hasAdvanced } from './reduce-goals.js';
import type { IterationOutcome, EventBodies } from './run-event.js';
import type { RunState, LatestFacts, OwnChanges, IterationSummary } from './run-state.js';
import { allPassed, failingTests, isFailing, type TestResults, testsRan } from './test-results.js';
import { isRefusal } from './wait-policy.js';

/** The last iteration that did some work: a try that was refused at once is not one. */
export function lastWork({ recent }: Pick<RunState, 'recent'>): IterationSummary | undefined {
  return recent.findLast(({ outcome, madeProgress }) => !isRefusal(outcome) || madeProgress === true);
}

/** The tests and checks that the prompt shows, as long as no others are run. */
export function lastResults(state: RunState, { tests, checks }: Observation = {}): RunState['lastLook'] {
  if (tests === undefined && checks === undefined) return state.lastLook;
  return { iteration: lastWork(state)?.iteration ?? 0, tests, checks };
}

type IterationEnded = Pick<EventBodies['iteration-ended'], 'agentStarted' | 'outcome'>;

/**
 * Whether an iteration ended before Pawl tried to start its agent: a hook held it back, it was no longer wanted, or
 * its runner died. It counts for nothing and gives its number back. One that failed to start its agent uses it.
 */
export function isUnstarted({ agentStarted, outcome }: IterationEnded): boolean {
  return !agentStarted && (outcome === 'skipped' || outcome === 'interrupted');
}

/** What an iteration achieved, as far as the record shows it. */
export interface Work {
  /** The tests are better than they were since they began to fail. */
  readonly gain: boolean;
  /** The tests move, if not beyond what was there before: fewer fail than last time, there are more, or they fail differently. */
  readonly moves: boolean;
  /** Fewer boxes of a list are open than before, or a metric has a new best result. */
  readonly advance: boolean;
  /** Content that counts was changed in a way that this run has not seen before. Undefined when that is not known. */
  readonly isNew: boolean | undefined;
  /** It is new, but nothing more than other lines in place of those that the run itself had written. */
  readonly rewrites: boolean;
  /** A command that was run before in this run printed another result. */
  readonly measures: boolean;
  /** Neither adds to a streak nor breaks it when it is undefined. */
  readonly progress: boolean | undefined;
}

const KEPT_LINES = 1000;
const KEPT_ERRORS = 100;
const KEPT_RESULTS = 500;

type Before = Pick<
  RunState,
  | 'policy'
  | 'checklists'
  | 'metrics'
  | 'tests'
  | 'trees'
  | 'seenLines'
  | 'seenErrors'
  | 'seenResults'
  | 'factsBefore'
  | 'lastLook'
  | 'baseline'
>;

export function measureWork(state: Before, observation: Observation, tree: string | undefined): Work {
  const isReturn = tree !== undefined && isTreeChanged(observation) !== false && state.trees.includes(tree);
  const { tests } = observation;
  const before = state.factsBefore?.observation.tests ?? state.lastLook?.tests ?? state.baseline?.tests;
  const gain = tests !== undefined && hasGain(tests, before, state.tests);
  // A state of the files that was there before shows nothing new, whatever its tests say.
  const moves = tests !== undefined && !isReturn && (isBetter(tests, before) || isNewError(state, tests));
  const advance = !isReturn && hasAdvanced(state, observation);
  const isNew = areOnlyLists(state, observation) ? advance : hasNewContent(observation, state.seenLines, isReturn);
  const measures = hasAnotherResult(state, observation);
  // To try another value and to measure it is more than to rewrite it, as long as the measurement moves.
  const rewrites = isNew === true && !advance && !measures && isRewriting(observation);
  return {
    gain,
    moves,
    advance,
    isNew,
    rewrites,
    measures,
    progress: gain || moves || advance || (isNew && !rewrites),
  };
}

/** What later iterations are compared with. */
export function seenAfter(
  state: Before,
  { files, tests, outsideLines = [], commandResults }: Observation,
): Pick<RunState, 'seenLines' | 'seenErrors' | 'seenResults'> {
  const error = tests === undefined ? undefined : firstError(tests);
  const lines = [...(files?.lines ?? []), ...outsideLines];
  return {
    ...(lines.length === 0 ? {} : { seenLines: added(state.seenLines, lines, KEPT_LINES) }),
    ...(error === undefined ? {} : { seenErrors: added(state.seenErrors, [error], KEPT_ERRORS) }),
    ...(commandResults === undefined ? {} : { seenResults: added(state.seenResults, commandResults, KEPT_RESULTS) }),
  };
}

function added(seen: readonly string[] = [], digests: readonly string[], most: number): readonly string[] {
  const known = new Set(seen);
  return [...seen, ...digests.filter((digest) => !known.has(digest))].slice(-most);
}

/** Traces of work are not work: lock files, logs, notes, white space, dates, and what was written before. */
function hasNewContent(
  observation: Observation,
  seenLines: readonly string[] = [],
  isReturn: boolean,
): boolean | undefined {
  const { files, also, outsideLines = [] } = observation;
  const seen = new Set(seenLines);
  if (also !== undefined && also.before !== also.after) return true;
  if (outsideLines.some((line) => !seen.has(line))) return true;
  if (isReturn) return false;
  const isChanged = isTreeChanged(observation);
  if (isChanged !== true || files === undefined) return isChanged;
  if (!hasWork(files.kinds)) return false;
  if (files.lines === undefined) return true;
  return files.lines.some((line) => !seen.has(line));
}

/** Work elsewhere is not a part of it. */
function isRewriting(observation: Observation): boolean {
  return observation.files?.rewrites === true && !changedElsewhere(observation);
}

function hasAnotherResult({ seenResults = [] }: Before, { commandResults = [] }: Observation): boolean {
  const commandOf = (result: string) => result.slice(0, result.indexOf(':') + 1);
  const commands = new Set(seenResults.map(commandOf));
  return commandResults.some((result) => commands.has(commandOf(result)) && !seenResults.includes(result));
}

/** More pass than ever, fewer fail than at any time since they began to fail, or there are tests to count again. */
function hasGain(tests: TestResults, before: TestResults | undefined, record: TestRecord): boolean {
  if (improves(tests, record) || isNewStreakLow(tests, record)) return true;
  const isUncounted = before !== undefined && !allPassed(before) && failingTests(before) === undefined;
  return isUncounted && failingTests(tests) !== undefined && (testsRan(tests) ?? 0) > 0;
}

/** Fewer fail than in the iteration before, or tests were added. */
function isBetter(tests: TestResults, before: TestResults | undefined): boolean {
  const [ran, ranBefore] = [testsRan(tests), before && testsRan(before)];
  if (before === undefined || ran === undefined || ranBefore === undefined || ran < ranBefore) return false;
  const [failing, failingBefore] = [failingTests(tests), failingTests(before)];
  return ran > ranBefore || (failing !== undefined && failingBefore !== undefined && failing < failingBefore);
}

/** The tests fail in a way that they have not failed in before: the old obstacle is behind. */
function isNewError({ seenErrors = [] }: Before, tests: TestResults): boolean {
  const error = firstError(tests);
  return error !== undefined && seenErrors.length > 0 && !seenErrors.includes(error);
}

/** Of failing tests, the first that is named with why it fails, or else the end of what they print. */
function firstError(tests: TestResults): string | undefined {
  if (allPassed(tests)) return undefined;
  const failed = tests.details.find(isFailing);
  const text = failed === undefined ? tests.output : `${failed.name} ${failed.error ?? ''}`;
  return text === undefined || text === '' ? undefined : shortDigest(errorFingerprint(text));
}

/**
 * Whether an iteration came to its end, left everything as it was, and its last message leaves nothing open. An agent that
 * read, tried something, met an error or announces more is still at work.
 */
export function isQuiet(
  outcome: IterationOutcome,
  { errors, wasDenied }: LatestFacts,
  observation: Observation,
): boolean | undefined {
  const { closing, request, toolFailures = [], wroteFiles } = observation;
  const isAtWork =
    outcome !== 'completed' ||
    errors.length + toolFailures.length > 0 ||
    wasDenied === true ||
    wroteFiles === true ||
    closing === 'empty' ||
    closing === 'open' ||
    (request !== undefined && request.kind !== 'none') ||
    changedElsewhere(observation);
  if (isAtWork) return false;
  const isChanged = isTreeChanged(observation);
  return isChanged === true ? false : isChanged === undefined || closing === undefined ? undefined : true;
}

/** What an iteration adds. Notes, logs and lock files are not work. */
export function ownChangesAfter(before: OwnChanges | undefined, observation: Observation): OwnChanges | undefined {
  const isChanged = isTreeChanged(observation);
  const found: OwnChanges = {
    ...(isChanged === undefined ? { unknown: true } : {}),
    ...(isChanged === true && hasWork(observation.files?.kinds) ? { inTree: true } : {}),
    ...(changedElsewhere(observation) ? { elsewhere: true } : {}),
  };
  return Object.keys(found).length === 0 ? before : { ...before, ...found };
}

/** Whether the agent has changed content that counts since the start. Files that only the tests or a person changed do not. */
export function hasOwnChanges({ baseline, latest, trees, ownChanges }: RunState): boolean | undefined {
  const [before, now] = [baseline?.tests, latest.observation.tests];
  if (before !== undefined && now !== undefined && testsRan(before) !== testsRan(now)) return true;
  if (ownChanges?.elsewhere === true) return true;
  const start = baseline?.tree ?? baseline?.fingerprint?.after;
  if (ownChanges?.inTree === true) return start === undefined || trees.at(-1) !== start;
  return ownChanges?.unknown === true ? undefined : false;
}

/** Under `progress.also`, or outside the working directory. */
function changedElsewhere({ also, outsideLines = [] }: Observation): boolean {
  return outsideLines.length > 0 || (also !== undefined && also.before !== also.after);
}

/** What work is compared with: the start of the run or of an earlier one, or what a person has accepted since. */
export function startOf({ baseline, accepted }: RunState): Pick<Observation, 'tests' | 'tree' | 'kept'> {
  return accepted ?? baseline?.earlier ?? baseline ?? {};
}

/** Whether files were changed, and all of them are as before the first iteration again. */
export function isBackAtStart({ baseline, recent }: RunState): boolean {
  const start = baseline?.tree ?? baseline?.fingerprint?.after;
  const hasChanged = recent.some(({ changedFiles = 0 }) => changedFiles > 0);
  return hasChanged && start !== undefined && recent.at(-1)?.tree === start;
}

/**
 * Where the next run in the same folder is to be compared with, because this one has ended with tests that were refused or
 * that are missing. Undefined when nothing is open: it is done, or a person has accepted the tests.
 */
export function unsettledStart(runId: string, state: RunState): EarlierStart | undefined {
  const end = endOf(state);
  if (end === undefined || end.class === 'goal' || state.accepted !== undefined) return undefined;
  const { tree, tests, kept } = startOf(state);
  const { originals, baseline, latest } = state;
  const now = latest.observation.tests;
  const [before, ran] = [tests && testsRan(tests), now && testsRan(now)];
  const areMissing = before !== undefined && ran !== undefined && ran < before;
  const isRefused = originals !== undefined && originals.refused > 0;
  if (tree === undefined || !(isRefused || areMissing || baseline?.earlier !== undefined)) return undefined;
  return { run: baseline?.earlier?.run ?? runId, tree, tests, kept };
}
