import type { EventOf, EventType } from './run-event.js';
import type { RunState } from './run-state.js';

/** The next state, by the type of the event. */
export type Reducers = { readonly [T in EventType]: (state: RunState, event: EventOf<T>) => RunState };

/** An event that changes nothing after the end of the run. */
export function unlessEnded<E>(reduce: (state: RunState, event: E) => RunState) {
  return (state: RunState, event: E): RunState => (state.phase.name === 'ended' ? state : reduce(state, event));
}
