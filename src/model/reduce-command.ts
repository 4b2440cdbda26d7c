import type { EventOf } from './run-event.js';
import type { RunState } from './run-state.js';

const KEPT_STEERS = 20;

/** What an operator asked for and the run has taken: it stays in the state until it has happened. */
export function foldCommand(state: RunState, { command, by }: EventOf<'command-received'>): RunState {
  switch (command.type) {
    case 'stop': {
      const now = command.now === true || state.operatorStop?.now === true;
      return { ...state, operatorStop: { by, now } };
    }
    case 'pause':
      return { ...state, pauseAsked: { by } };
    case 'resume':
      return { ...state, pauseAsked: undefined };
    case 'reboot':
      return { ...state, rebootAsked: { by } };
    case 'steer':
    case 'reject':
      return steered(state, command.text);
    default:
      return state;
  }
}

function steered(state: RunState, text: string): RunState {
  const { open } = state;
  const steers = [...state.steers, text].slice(-KEPT_STEERS);
  const steersSince = Math.min((open?.steersSince ?? 0) + 1, KEPT_STEERS);
  return { ...state, steers, open: open === undefined ? undefined : { ...open, steersSince } };
}
