/** Where a run is in its life. */
export type LoopState = 'idle' | 'running' | 'paused' | 'waiting' | 'rebooting' | 'completed' | 'stopped' | 'error';

/** The name of each phase (`phase.ts`), of which this state is derived. */
export type PhaseName = 'idle' | 'starting' | 'iterating' | 'resting' | 'waiting' | 'paused' | 'ended';

export type TerminalState = 'completed' | 'stopped' | 'error';

export function isTerminal(state: LoopState): state is TerminalState {
  return state === 'completed' || state === 'stopped' || state === 'error';
}

/** An agent works, or is about to. */
export function isActive(state: LoopState): boolean {
  return state === 'running' || state === 'rebooting';
}

export function canStart(state: LoopState): boolean {
  return state === 'idle' || state === 'stopped' || state === 'error';
}

export function canPause(state: LoopState): boolean {
  return state === 'running' || state === 'rebooting';
}

export function canResume(state: LoopState): boolean {
  return state === 'paused' || state === 'waiting';
}
