import type { LoopCommand } from '../model/loop-command.js';
import type { RunState } from '../model/run-state.js';
import { describe } from '../stop/describe.js';
import { isBeforeAgent } from './before-agent.js';

/** What a command does that the run has taken. */
export interface CommandEffect {
  /** To follow the name of the run. */
  readonly text: string;
  /** It comes later: something else ends first. */
  readonly isPending: boolean;
}

/** What comes of a command, from the state in which it was given. Pure: whoever asks is told what will happen. */
export function effectOf(command: LoopCommand, before: RunState): CommandEffect {
  switch (command.type) {
    case 'pause':
      return beginning('pauses', before);
    case 'resume':
      return now(resumeText(before));
    case 'skip':
      return now(skipText(before));
    case 'stop':
      return stopEffect(command.now === true || before.operatorStop?.now === true, before);
    case 'reboot':
      return later(
        before.operatorStop === undefined
          ? 'begins a fresh session with the next iteration'
          : 'stops first: no iteration follows that could begin a fresh session',
      );
    case 'approve':
      return now('is approved: the iteration begins');
    case 'reject':
      return now('does not begin: it asks for approval again, and tells the agent what you said');
    case 'steer':
      return later(
        before.operatorStop === undefined
          ? 'tells the agent with the next prompt'
          : 'stops first: it tells the agent when it is resumed',
      );
    case 'extend':
      return now(`has a new limit: ${describe(command.limit)}`);
    default:
      return command satisfies never;
  }
}

/** When a run that is asked to pause or to stop does so. */
function beginning(does: string, { open, baseline, iterations }: RunState): CommandEffect {
  if (open !== undefined) return later(`${does} after this iteration`);
  const isBaseline = baseline === undefined && iterations === 0;
  return isBaseline ? later(`${does} before the first iteration`) : now(does);
}

function stopEffect(isNow: boolean, before: RunState): CommandEffect {
  if (isNow) return now('stops now');
  return isBeforeAgent(before) ? now('stops: the agent is not started any more') : beginning('stops', before);
}

function resumeText({ status, spec }: RunState): string {
  if (status === 'waiting') return 'tries again now';
  if (status !== 'paused') return 'goes on: the pause that was asked for is taken back';
  return spec?.attendedMode === true ? 'goes on, and asks for approval' : 'goes on';
}

function skipText({ open, operatorStop, pauseAsked }: RunState): string {
  const what = open?.status === 'post_hooks' ? 'ends the hook' : 'ends this iteration';
  if (operatorStop !== undefined) return `${what}, and stops`;
  return pauseAsked === undefined ? `${what} and goes on` : `${what}, and pauses`;
}

function now(text: string): CommandEffect {
  return { text, isPending: false };
}

function later(text: string): CommandEffect {
  return { text, isPending: true };
}
