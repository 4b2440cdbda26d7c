import type { EventOf } from './run-event.js';
import type { RunState } from './run-state.js';
import { SYSTEM } from './stopped-by-system.js';

/** What an operator asked for and the run has taken: it stays in the state until it has happened. */
export function foldCommand(state: RunState, { command, by }: EventOf<'command-received'>): RunState {
  switch (command.type) {
    case 'stop': {
      const now = command.now === true || state.operatorStop?.now === true;
      // Who has decided to end a run has decided that also when the machine goes down before it has ended.
      const asker = by === SYSTEM ? (state.operatorStop?.by ?? by) : by;
      return { ...state, operatorStop: { by: asker, now } };
    }
    case 'pause':
      return { ...state, pauseAsked: { by } };
    case 'resume':
      return { ...state, pauseAsked: undefined };
    case 'reboot':
      return { ...state, rebootAsked: { by } };
    case 'steer':
      // Who asked gets it.
      return state.waiting?.for === 'answer' ? state : steered(state, command.text);
    case 'reject':
      return steered(state, command.text);
    default:
      return state;
  }
}

function steered(state: RunState, text: string): RunState {
  const { open } = state;
  const steers = [...state.steers, text];
  const steersSince = (open?.steersSince ?? 0) + 1;
  return { ...state, steers, open: open === undefined ? undefined : { ...open, steersSince } };
}
