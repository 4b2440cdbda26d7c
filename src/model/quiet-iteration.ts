import type { Observation } from './observation.js';
import { changedElsewhere } from './own-changes.js';
import { isTreeChanged } from './progress.js';
import type { IterationOutcome } from './run-event.js';
import type { LatestFacts } from './run-state.js';

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
