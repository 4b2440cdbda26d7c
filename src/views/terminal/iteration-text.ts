import { formatDuration } from '../../model/duration.js';
import type { EventOf } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { plural } from '../../model/figures.js';
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
