import { checkBudgetIsEnforceable } from './start-checks.js';
import type { StopCondition } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import { type LoopCommand, MOST_STEER_CHARACTERS, wordOf } from '../model/loop-command.js';
import { canPause, canResume, isTerminal } from '../model/loop-state.js';
import { dayLimitUsd, EMPTY_POLICY, lowestLimit } from '../model/policy.js';
import { isBeforeAgent, isEnding, loopStateOf, openIteration, waitingOf } from '../model/phase.js';
import { answersToSend, answerTo, openQuestions } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { count, usd, plural, quote } from '../model/figures.js';
import { limitOf } from '../model/condition-catalog.js';
import { openAttempts } from '../model/pipeline-state.js';
import { describe } from '../stop/judge.js';

/** Why the state does not allow a command, and what would be possible; undefined when it does. */
export function refusalOf(command: LoopCommand, state: RunState): string | undefined {
  const status = loopStateOf(state);
  const refused = `cannot ${wordOf(command)} a run that is ${status}`;
  const tooLong = whyTooLong(command, state);
  if (tooLong !== undefined) return tooLong;
  if (isEnding(state)) return whyNotWhileEnding(command, state);
  if (command.type === 'extend') {
    return status === 'completed' || status === 'error' ? refused : whyNotHeld(command.limit, state);
  }
  if (isTerminal(status) || status === 'idle') return refused;
  switch (command.type) {
    case 'pause':
      return whyNotPaused(refused, state);
    case 'resume':
      return whyNotResumed(refused, state);
    case 'skip':
      return whyNotSkipped(refused, state);
    case 'approve':
    case 'reject':
      return isAsking(state) ? undefined : `${refused}${waitedFor(state)}: it has not asked for approval`;
    case 'answer':
      return whyNotAnswered(command, state);
    case 'stop':
    case 'reboot':
    case 'steer':
      return undefined;
    default:
      return command satisfies never;
  }
}

/** What does not fit into the next prompt is not cut without a word. An answer to the agent's own question is no part of it. */
function whyTooLong(command: LoopCommand, state: RunState): string | undefined {
  const isTold =
    command.type === 'reject' ||
    command.type === 'answer' ||
    (command.type === 'steer' && waitingOf(state)?.for !== 'answer');
  const problem = isTold ? whyNotInPrompt(command.text, state) : undefined;
  return problem === undefined ? undefined : `cannot ${wordOf(command)}: ${problem}`;
}

/** Why no one is told this answer; undefined when the agent is. */
export function whyNotAnswered(
  answer: Pick<Extract<LoopCommand, { readonly type: 'answer' }>, 'question' | 'text'>,
  state: RunState,
): string | undefined {
  if (waitingOf(state)?.for === 'answer') return undefined;
  const answered = answerTo(state, answer);
  return 'refused' in answered ? `cannot answer: ${answered.refused}` : undefined;
}

/** Why a text does not fit into the next prompt with what was said before; undefined when it does. */
export function whyNotInPrompt(text: string, state: Pick<RunState, 'requests' | 'questions'>): string | undefined {
  const steers = [...state.requests.steers, ...answersToSend(state).flatMap(({ answer }) => answer?.text ?? [])];
  const room = MOST_STEER_CHARACTERS - steers.reduce((sum, said) => sum + said.length, 0);
  if (text.length <= room) return undefined;
  const fits = `${steers.length === 0 ? '' : 'with what was said before '}${count(Math.max(0, room))} fit into the next prompt`;
  return `the text has ${count(text.length)} characters, and ${fits}; write it to a file and name the file`;
}

/** What is still possible: to have it end sooner, and to tell what is meant for a resume. */
function whyNotWhileEnding(command: LoopCommand, state: RunState): string | undefined {
  const refused = `cannot ${wordOf(command)} a run that is stopping`;
  const why = state.verdict?.reasons[0]?.message;
  const because = why === undefined ? refused : `${refused}: ${why}`;
  switch (command.type) {
    case 'stop':
      return undefined;
    case 'skip':
      return state.hook === undefined ? because : undefined;
    case 'steer':
      return state.verdict?.class === 'goal' ? because : undefined;
    case 'answer':
      return whyNotAnswered(command, state);
    case 'extend':
      return state.verdict?.class === 'goal' ? because : whyNotHeld(command.limit, state);
    case 'pause':
    case 'resume':
    case 'approve':
    case 'reject':
    case 'reboot':
      return because;
    default:
      return command satisfies never;
  }
}

function waitedFor(state: RunState): string {
  const waiting = waitingOf(state);
  if (waiting === undefined) return '';
  return waiting.for === 'person' ? ' for your answer' : ` for the ${waiting.for.replace('-', ' ')}`;
}

function isAsking(state: RunState): boolean {
  return waitingOf(state)?.for === 'approval';
}

const GIVES_ANSWER = 'for your answer: pawl answer TEXT gives it';
const ANSWERS = 'for approval: pawl approve lets it start, pawl reject TEXT sends it back';

function whyNotPaused(refused: string, state: RunState): string | undefined {
  if (isAsking(state)) return `${refused} ${ANSWERS}`;
  if (waitingOf(state)?.for === 'person') return `${refused} ${GIVES_ANSWER}`;
  if (!canPause(loopStateOf(state))) return refused;
  return state.requests.stop === undefined ? undefined : `${refused}: ${stopText(state)}`;
}

/** What can be ended: a pause, also one that was only asked for, and a wait. */
function whyNotResumed(refused: string, state: RunState): string | undefined {
  if (isAsking(state)) return `${refused} ${ANSWERS}`;
  const waiting = waitingOf(state)?.for;
  if (waiting === 'answer' || waiting === 'person') return `${refused} ${GIVES_ANSWER}`;
  if (state.requests.stop !== undefined) return `${refused}: ${stopText(state)}`;
  const canBe = canResume(loopStateOf(state)) || state.requests.pause !== undefined;
  return canBe ? undefined : `${refused}: no pause was requested`;
}

function whyNotSkipped(refused: string, state: RunState): string | undefined {
  const open = openIteration(state);
  if (state.hook === 'on_pause') return undefined;
  if (loopStateOf(state) !== 'running') return refused;
  if (open === undefined) return 'cannot skip: no iteration is in progress';
  return open.step === 'observing' ? `${refused}: the agent has finished, and its work is being checked` : undefined;
}

function stopText(state: RunState): string {
  const isSoon = openIteration(state) === undefined || state.requests.stop?.now === true || isBeforeAgent(state);
  return isSoon ? 'it is about to stop' : 'it stops after this iteration';
}

/** A limit that no one can hold would only stop the run. */
function whyNotHeld(limit: StopCondition, state: RunState): string | undefined {
  if (state.pipeline === undefined && limitOf(limit)?.quantity === 'attempts') {
    return 'cannot extend: a circuit breaker counts the attempts of a pipeline, and this run is a loop';
  }
  const raised = whyNotRaised(limit, state);
  if (raised !== undefined) return raised;
  const policy = { ...EMPTY_POLICY, limits: [limit] };
  const { reasons } = evaluatePolicy(policy, factsOf(state));
  const blocked = reasons.find(({ condition, class: stopClass }) => condition !== undefined && stopClass === 'blocked');
  if (blocked !== undefined) return `cannot extend: ${blocked.message}`;
  try {
    if (state.agent !== undefined) checkBudgetIsEnforceable(policy, state.agent);
    return undefined;
  } catch (error) {
    return `cannot extend: ${messageOf(error)}`;
  }
}

/** The limit of a day is the user's own setting over all runs: a command can only lower it. That of a batch is of all its runs. */
function whyNotRaised(limit: StopCondition, { policy }: RunState): string | undefined {
  const { quantity, amount = 0 } = limitOf(limit) ?? {};
  if (quantity === 'batchCostUsd') return 'cannot extend: the budget of a batch is one for all its runs';
  const most = dayLimitUsd(policy);
  if (quantity !== 'dayCostUsd' || most === undefined || amount <= most) return undefined;
  const what = `${usd(amount)} a day is more than the ${usd(most)} that applies to all your runs`;
  return `cannot extend: ${what}, and a command can only lower it; raise max_cost_per_day in your own config, and resume`;
}

/** What a command does that the run has taken. */
export interface CommandEffect {
  /** To follow the name of the run. */
  readonly text: string;
  /** It comes later: something else ends first. */
  readonly isPending: boolean;
}

/** What comes of a command, from the state in which it was given. Pure: anyone who asks is told what will happen. */
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
          ? 'starts a new session with the next iteration'
          : 'stops first: no iteration follows that could start a new session',
      );
    case 'approve':
      return now('is approved: the iteration starts');
    case 'reject':
      return now('does not start: it asks for approval again, and sends your reason to the agent');
    case 'steer':
      if (waitingOf(before)?.for === 'answer') return now('has its answer: the agent continues');
      if (isLast(before)) {
        return later('is in its last iteration: the agent gets your message only if the run is extended or resumed');
      }
      return later(
        before.requests.stop === undefined && !isEnding(before)
          ? 'sends your message with the next prompt'
          : 'stops first: it sends your message when it is resumed',
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
  return isBeforeAgent(before) ? now('stops: the agent will not be started') : beginning('stops', before);
}

/** Of a run that is already stopping. */
function endingEffect(isNow: boolean, { hook }: RunState): CommandEffect {
  if (hook === undefined) return now('is already stopping');
  return isNow ? now(`ends the hook ${hook} and stops`) : later(`is already stopping, and its hook ${hook} is running`);
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
