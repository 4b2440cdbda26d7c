import type { EventBodies } from './run-event.js';

type IterationEnded = Pick<EventBodies['iteration-ended'], 'agentStarted' | 'outcome'>;

/**
 * Whether an iteration ended before Pawl tried to start its agent: a hook held it back, it was no longer wanted, or
 * its runner died. It counts for nothing and gives its number back. One that failed to start its agent uses it.
 */
export function isUnstarted({ agentStarted, outcome }: IterationEnded): boolean {
  return !agentStarted && (outcome === 'skipped' || outcome === 'interrupted');
}
