import type { LoopCommand } from '../model/loop-command.js';
import { lowestLimit } from '../model/policy.js';
import { isBeforeAgent, isEnding, openIteration, waitingOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { openAttempts } from '../model/pipeline-state.js';
import { describe } from '../stop/describe.js';
import { plural, quote } from '../model/figures.js';
import { openQuestions } from '../model/questions.js';

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
      if (isLast(before)) return later('is in its last iteration, and pauses only if its limit is extended');
      return beginning('pauses', before);
    case 'resume':
      return now(resumeText(before));
    case 'skip':
      return now(skipText(before));
    case 'stop':
      return stopEffect(command.now === true, before);
    case 'reboot':
      return later(
        before.requests.stop === undefined
          ? 'begins a new session with the next iteration'
          : 'stops first: no iteration follows that could start a new session',
      );
    case 'approve':
      return now('is approved: the iteration starts');
    case 'reject':
      return now('does not start: it asks for approval again, and tells the agent what you said');
    case 'steer':
      if (waitingOf(before)?.for === 'answer') return now('has its answer: the agent continues');
      if (isLast(before)) {
        return later('is in its last iteration: the agent is told only if the run is extended or resumed');
      }
      return later(
        before.requests.stop === undefined && !isEnding(before)
          ? 'will tell the agent in its next prompt'
          : 'stops first: it tells the agent when it is resumed',
      );
    case 'answer':
      return answerEffect(command, before);
    case 'extend':
      return isEnding(before)
        ? later(`stops first: the new limit counts when it is resumed: ${describe(command.limit)}`)
        : now(`has a new limit: ${describe(command.limit)}`);
    default:
      return command satisfies never;
  }
}

function answerEffect(answer: Extract<LoopCommand, { readonly type: 'answer' }>, before: RunState): CommandEffect {
  const { question = 'the question', text } = answer;
  const said = `has the answer to ${question}, ${quote(text)}`;
  const left = openQuestions(before).length - 1;
  if (left > 0) return later(`${said}; ${plural(left, 'more question')} ${left === 1 ? 'is' : 'are'} open`);
  if (before.phase.name === 'waiting') return now(`${said}: the agent continues with it`);
  return isLast(before)
    ? later(`${said}, and is in its last iteration: the agent gets it only if the run is extended or resumed`)
    : later(`${said}: the agent gets it now if it still waits for it, otherwise with the next prompt`);
}

/** No other iteration follows the current one, unless a limit is extended. */
function isLast({ phase, requests, iterations, policy }: RunState): boolean {
  if (phase.name !== 'iterating' || requests.stop !== undefined) return false;
  return iterations + 1 >= (lowestLimit(policy.limits, 'iterations') ?? Number.POSITIVE_INFINITY);
}

/** When a run that is asked to pause or to stop does so. */
function beginning(does: string, { phase, baseline, iterations, pipeline }: RunState): CommandEffect {
  if (pipeline !== undefined) {
    const inFlight = openAttempts(pipeline);
    return inFlight === 0 ? now(does) : later(`${does} after ${plural(inFlight, 'item')} in progress`);
  }
  if (phase.name === 'iterating') return later(`${does} after this iteration`);
  const isBaseline = baseline === undefined && iterations === 0;
  return isBaseline ? later(`${does} before the first iteration`) : now(does);
}

function stopEffect(isNow: boolean, before: RunState): CommandEffect {
  if (isEnding(before)) return endingEffect(isNow, before);
  if (before.hook === 'on_pause') return now('ends the hook on_pause and stops');
  if (isNow || before.requests.stop?.now === true) return now('stops now');
  if (waitingOf(before)?.for === 'answer') return now('stops: the question stays unanswered');
  return isBeforeAgent(before) ? now('stops: the agent is not started any more') : beginning('stops', before);
}

/** Of a run that is already stopping. */
function endingEffect(isNow: boolean, { hook }: RunState): CommandEffect {
  if (hook === undefined) return now('is already stopping');
  return isNow ? now(`ends the hook ${hook} and stops`) : later(`is already stopping, and the hook ${hook} runs`);
}

function resumeText({ phase, spec, hook }: RunState): string {
  if (phase.name === 'waiting') return 'tries again now';
  if (phase.name !== 'paused') return 'continues: the requested pause is cancelled';
  const goesOn = hook === 'on_pause' ? 'ends the hook on_pause and continues' : 'continues';
  return spec?.attendedMode === true ? `${goesOn}, and asks for approval` : goesOn;
}

function skipText(before: RunState): string {
  const { hook, requests } = before;
  if (isEnding(before)) return `ends the hook ${hook ?? 'on_stop'}, and stops`;
  if (hook === 'on_pause') return 'ends the hook on_pause, and stays paused';
  const what = openIteration(before)?.step === 'post_hooks' ? 'ends the hook' : 'ends this iteration';
  if (requests.stop !== undefined) return `${what}, and stops`;
  return requests.pause === undefined ? `${what} and continues` : `${what}, and pauses`;
}

function now(text: string): CommandEffect {
  return { text, isPending: false };
}

function later(text: string): CommandEffect {
  return { text, isPending: true };
}
