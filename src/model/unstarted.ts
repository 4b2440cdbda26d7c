import type { EventBodies } from './run-event.js';

type IterationEnded = Pick<EventBodies['iteration-ended'], 'agentStarted' | 'outcome' | 'interruption'>;

/**
 * Whether an iteration ended before anybody tried to start its agent: a hook held it back, or nobody wanted it any more.
 * It counts for nothing and gives its number back. One that failed to start its agent, or whose runner died, uses it.
 */
export function isUnstarted({ agentStarted, outcome, interruption }: IterationEnded): boolean {
  if (agentStarted) return false;
  return outcome === 'skipped' || (outcome === 'interrupted' && interruption !== 'crash');
}
