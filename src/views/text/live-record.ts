/** V1: a view can be killed and reopened at any event and shows the same: what it shows is a fold of the record. */
import type { RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../model/run-state.js';
import { type Fold, isActivity } from '../../words/event-words.js';
import { reduceItems, NO_ITEMS, type ShownItems } from '../../model/shown-items.js';

const MOST_ACTIVITIES = 12;

/** Something that the agent said or did, with where it is in the record. */
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
  readonly items: ShownItems;
}

export const NOTHING_SEEN: LiveRecord = { state: INITIAL_STATE, activities: [], items: NO_ITEMS };

/** `after` is the state after the event. */
export function foldLive(seen: LiveRecord, event: RunEvent, after: RunState): LiveRecord {
  const { state: before, activities } = seen;
  const items = reduceItems(seen.items, event);
  if (event.type === 'iteration-started' || event.type === 'run-resumed')
    return { state: after, activities: [], items };
  if (!isActivity(event) || isSilent(event)) return { state: after, activities, items };
  const activity = { event, fold: { before, after } };
  return { state: after, activities: [...activities, activity].slice(-MOST_ACTIVITIES), items };
}

/** An answer is only told of when it is a failure. */
function isSilent(event: RunEvent): boolean {
  return event.type === 'tool-answered' && (event.failed !== true || event.denied === true);
}
