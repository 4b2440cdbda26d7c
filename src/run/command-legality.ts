import type { StopCondition } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import { type LoopCommand, MOST_STEER_CHARACTERS, wordOf } from '../model/loop-command.js';
import { canPause, canResume, isTerminal } from '../model/loop-state.js';
import { dayLimitUsd, EMPTY_POLICY } from '../model/policy.js';
import { isBeforeAgent, isEnding, loopStateOf, openIteration, waitingOf } from '../model/phase.js';
import { answersToSend, answerTo } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { count, usd } from '../model/figures.js';
import { checkBudgetIsEnforceable } from './enforceable.js';
import { limitOf } from '../model/condition-catalog.js';

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

/** Why nobody is told this answer; undefined when the agent is. */
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
const ANSWERS = 'for approval: pawl approve lets it begin, pawl reject TEXT sends it back';

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
  return open.step === 'observing' ? `${refused}: the agent is done, and what it did is looked at` : undefined;
}

function stopText(state: RunState): string {
  const isSoon = openIteration(state) === undefined || state.requests.stop?.now === true || isBeforeAgent(state);
  return isSoon ? 'it is about to stop' : 'it stops after this iteration';
}

/** A limit that nobody can hold would only stop the run. */
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
  const what = `${usd(amount)} a day is more than the ${usd(most)} that holds for all your runs`;
  return `cannot extend: ${what}, and a command can only lower it; raise max_cost_per_day in your own config, and resume`;
}
