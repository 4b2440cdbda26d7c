import type { EventBodies } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';

/** The end of an iteration under which the run broke: its agent has used up the number, and may have spent. */
export function brokenIteration({ open, at }: RunState, error: string): EventBodies['iteration-ended'] | undefined {
  if (open?.pid === undefined) return undefined;
  return {
    iteration: open.iteration,
    outcome: 'interrupted',
    interruption: 'crash',
    agentStarted: true,
    durationMs: Math.max(0, Date.parse(at ?? open.startedAt) - Date.parse(open.startedAt)),
    error,
    observation: {},
  };
}
