import type { IterationOutcome } from '../../model/run-event.js';
import type { IterationSummary, RunState } from '../../model/run-state.js';
import { count } from '../../model/figures.js';
import { isRefusal } from '../../model/wait-policy.js';
import { recentIsComplete } from './recent-is-complete.js';

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
