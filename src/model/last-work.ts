import type { Observation } from './observation.js';
import type { IterationSummary, RunState } from './run-state.js';
import { isRefusal } from './wait-policy.js';
import type { EventBodies } from './run-event.js';

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
