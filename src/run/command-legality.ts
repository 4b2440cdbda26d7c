import type { LoopCommand } from '../model/loop-command.js';
import { canPause, isTerminal } from '../model/loop-state.js';
import type { RunState } from '../model/run-state.js';

/** Why the state does not allow a command; undefined when it does. */
export function refusalOf(command: LoopCommand, state: RunState): string | undefined {
  const { status, waiting, open } = state;
  const refused = `cannot ${command.type} a run that is ${status}`;
  if (command.type === 'extend') return status === 'completed' || status === 'error' ? refused : undefined;
  if (isTerminal(status) || status === 'idle') return refused;
  switch (command.type) {
    case 'pause':
      return canPause(status) ? undefined : refused;
    case 'resume':
      return status === 'paused' || (status === 'waiting' && waiting?.for !== 'approval') ? undefined : refused;
    case 'skip':
      if (status !== 'running') return refused;
      return open === undefined ? 'cannot skip: no iteration is under way' : undefined;
    case 'approve':
    case 'reject':
      return waiting?.for === 'approval' ? undefined : `${refused}, not waiting for approval`;
    case 'stop':
    case 'reboot':
    case 'steer':
      return undefined;
    default:
      return command satisfies never;
  }
}
