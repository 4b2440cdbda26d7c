import type { EventBodies } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';

/** The end of an iteration under which the run broke: its agent has used up the number, and may have spent. */
export function brokenIteration({ phase, at }: RunState, error: string): EventBodies['iteration-ended'] | undefined {
  if (phase.name !== 'iterating' || phase.pid === undefined) return undefined;
  return {
    iteration: phase.iteration,
    outcome: 'interrupted',
    interruption: 'crash',
    agentStarted: true,
    durationMs: Math.max(0, Date.parse(at ?? phase.startedAt) - Date.parse(phase.startedAt)),
    error,
    observation: {},
  };
}
