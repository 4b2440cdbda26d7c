import type { StopCondition } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import { type LoopCommand, MOST_STEER_CHARACTERS } from '../model/loop-command.js';
import { isEnding } from '../model/is-ending.js';
import { canPause, isTerminal } from '../model/loop-state.js';
import { dayLimitUsd, EMPTY_POLICY } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { count, usd } from '../stop/figures.js';
import { isBeforeAgent } from './before-agent.js';
import { checkBudgetIsEnforceable } from './enforceable.js';

/** A command as people type it. */
export function wordOf({ type }: LoopCommand): string {
  return type === 'resume' ? 'unpause' : type;
}

/** Why the state does not allow a command, and what would be possible; undefined when it does. */
export function refusalOf(command: LoopCommand, state: RunState): string | undefined {
  const { status } = state;
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
  const isTold = command.type === 'reject' || (command.type === 'steer' && state.waiting?.for !== 'answer');
  const problem = isTold ? whyNotInPrompt(command.text, state) : undefined;
  return problem === undefined ? undefined : `cannot ${wordOf(command)}: ${problem}`;
}

/** Why a text does not fit into the next prompt with what was said before; undefined when it does. */
export function whyNotInPrompt(text: string, { steers }: Pick<RunState, 'steers'>): string | undefined {
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

function waitedFor({ waiting }: RunState): string {
  return waiting === undefined ? '' : ` for the ${waiting.for.replace('-', ' ')}`;
}

function isAsking({ waiting }: RunState): boolean {
  return waiting?.for === 'approval';
}

const ANSWERS = 'for approval: pawl approve lets it begin, pawl reject TEXT sends it back';

function whyNotPaused(refused: string, state: RunState): string | undefined {
  if (isAsking(state)) return `${refused} ${ANSWERS}`;
  if (!canPause(state.status)) return refused;
  return state.operatorStop === undefined ? undefined : `${refused}: ${stopText(state)}`;
}

/** What can be ended: a pause, also one that was only asked for, and a wait. */
function whyNotResumed(refused: string, state: RunState): string | undefined {
  if (isAsking(state)) return `${refused} ${ANSWERS}`;
  if (state.waiting?.for === 'answer') return `${refused} for an answer: pawl steer TEXT gives it`;
  if (state.operatorStop !== undefined) return `${refused}: ${stopText(state)}`;
  const canBe = state.status === 'paused' || state.status === 'waiting' || state.pauseAsked !== undefined;
  return canBe ? undefined : `${refused}: no pause was asked for`;
}

function whyNotSkipped(refused: string, { status, open, hook }: RunState): string | undefined {
  if (hook === 'on_pause') return undefined;
  if (status !== 'running') return refused;
  if (open === undefined) return 'cannot skip: no iteration is under way';
  return open.status === 'observing' ? `${refused}: the agent is done, and what it did is looked at` : undefined;
}

function stopText(state: RunState): string {
  const isSoon = state.open === undefined || state.operatorStop?.now === true || isBeforeAgent(state);
  return isSoon ? 'it is about to stop' : 'it stops after this iteration';
}

/** A limit that nobody can hold would only stop the run. */
function whyNotHeld(limit: StopCondition, state: RunState): string | undefined {
  if (state.pipeline === undefined && limit.type === 'circuit_breaker') {
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
  if (limit.type === 'max_cost_of_batch') return 'cannot extend: the budget of a batch is one for all its runs';
  const most = dayLimitUsd(policy);
  if (limit.type !== 'max_cost_per_day' || most === undefined || limit.usd <= most) return undefined;
  const what = `${usd(limit.usd)} a day is more than the ${usd(most)} that holds for all your runs`;
  return `cannot extend: ${what}, and a command can only lower it; raise max_cost_per_day in your own config, and resume`;
}
