import { isActive } from '../model/loop-state.js';
import { loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';

/** The record as it is now: what time alone changes has continued since its last event. */
export function stateAt(state: RunState, nowMs: number): RunState {
  if (state.at === undefined || nowMs < Date.parse(state.at)) return state;
  // Whole seconds: a figure that changes ten times a second cannot be read.
  const activeMs = Math.max(1000, Math.floor(activeMsAt(state, nowMs) / 1000) * 1000);
  return { ...state, activeMs, at: new Date(nowMs).toISOString() };
}

/** The record knows the time of its last event; an agent that works has continued since. */
export function activeMsAt(state: RunState, nowMs: number): number {
  const { activeMs, at } = state;
  const status = loopStateOf(state);
  const sinceMs = isActive(status) ? nowMs - Date.parse(at ?? '') : 0;
  return activeMs + Math.max(0, sinceMs || 0);
}
