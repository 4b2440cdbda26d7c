import { type Death, reapCrashed } from '../iteration/end-crashed.js';
import { PawlError } from '../model/errors.js';
import type { RunState } from '../model/run-state.js';
import type { EventBodies } from '../model/run-event.js';

/** On one machine; where runners come and go it says nothing about the run. */
const MOST_CRASHES = 3;

/** A runner that was killed may have left agents working: they are ended, and nothing is started next to one that cannot be. */
export async function reapRun(runId: string, death?: Death): Promise<void> {
  const { left } = await reapCrashed(runId, death);
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid).join(', ');
  throw new PawlError('InvalidState', `processes of an interrupted run could not be ended: ${pids}`);
}

/** The same for other runs of the tree, whose runners have died. */
export async function reapRuns(runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    // oxlint-disable-next-line no-await-in-loop -- there is one at most, or two
    await reapRun(runId);
  }
}

/** Throws when the runner dies again and again, and `what` never comes to its end. */
export function checkCrashes(
  { crashesInARow }: RunState,
  what: 'an iteration' | 'an attempt',
  most = MOST_CRASHES,
): void {
  if (crashesInARow < most) return;
  throw new PawlError('InvalidState', `the runner died ${most} times in a row without ${what} ended`);
}

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
