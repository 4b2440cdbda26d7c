/** V1: a view can be killed and reopened at any event and shows the same: what it shows is a fold of the record. */
import type { EventType, RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../model/run-state.js';
import type { Fold } from '../terminal/event-lines.js';

const MOST_ACTIVITIES = 12;

/** Something that the agent said or did, with where it stands in the record. */
export interface Activity {
  readonly event: RunEvent;
  readonly fold: Fold;
}

/**
 * V1: what the live view shows is a fold of the record: the state, and of the iteration under way the last few things
 * that the agent said and did. A view that is opened later folds the same events and shows the same.
 */
export interface LiveRecord {
  readonly state: RunState;
  readonly activities: readonly Activity[];
}

export const NOTHING_SEEN: LiveRecord = { state: INITIAL_STATE, activities: [] };

const ACTIVITIES: ReadonlySet<EventType> = new Set([
  'agent-said',
  'tool-called',
  'tool-answered',
  'error-seen',
  'permission-denied',
] satisfies EventType[]);

/** `after` is the state after the event. */
export function foldLive({ state: before, activities }: LiveRecord, event: RunEvent, after: RunState): LiveRecord {
  if (event.type === 'iteration-started' || event.type === 'run-resumed') return { state: after, activities: [] };
  if (!ACTIVITIES.has(event.type) || isSilent(event)) return { state: after, activities };
  return { state: after, activities: [...activities, { event, fold: { before, after } }].slice(-MOST_ACTIVITIES) };
}

/** An answer is only told of when it is a failure. */
function isSilent(event: RunEvent): boolean {
  return event.type === 'tool-answered' && (event.failed !== true || event.denied === true);
}
