import { formatDuration } from '../../model/duration.js';
import { count, plural } from '../../model/figures.js';
import type { EventOf, IterationOutcome } from '../../model/run-event.js';
import type { IterationSummary, RunState } from '../../model/run-state.js';
import { isRefusal } from '../../model/wait-policy.js';
import { costSoFar } from './spend-text.js';
import { testsPassedSoFar, testsText } from './tests-text.js';

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
