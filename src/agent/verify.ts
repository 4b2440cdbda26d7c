import type { ConditionAnswer, ConditionFunction } from '../model/condition-function.js';
import { messageOf } from '../model/errors.js';
import type { CompletionAnswer, DeepFactorAgentOptions } from './agent-options.js';
import type { InProcessAgent } from './in-process-agent.js';

const TIMEOUT_MS = 10 * 60_000;

const NOT_ENDED: ConditionAnswer = { met: false, reason: 'the model has not ended its turn' };
const EMPTY: ConditionAnswer = {
  met: false,
  reason: 'the model ended its turn with an empty answer',
  feedback: 'Your last answer was empty. Continue with the task, and say in words when it is done.',
};
const FAILED = 'The check whether the task is done failed. Review your work and continue.';

/** The goals that an agent has by itself, as functions by name. The agent is that of the run under way. */
export function ownGoal(
  verify: DeepFactorAgentOptions['verifyCompletion'],
  agent: () => InProcessAgent | undefined,
): ConditionFunction {
  return verify === undefined ? believed(agent) : verified(verify, agent);
}

/** No one looks: the model's word ends the run, and the reason says so. */
function believed(agent: () => InProcessAgent | undefined): ConditionFunction {
  return function modelEndedItsTurn(): ConditionAnswer {
    const end = agent()?.turnEnd;
    if (end === undefined) return NOT_ENDED;
    if (end.text.trim() === '') return EMPTY;
    if (!end.isWhole) return { met: false, reason: 'the answer of the model reached its maximum length' };
    return { met: true, reason: 'the model ended its turn; nothing verified its work' };
  };
}

function verified(
  verify: NonNullable<DeepFactorAgentOptions['verifyCompletion']>,
  agent: () => InProcessAgent | undefined,
): ConditionFunction {
  const call: ConditionFunction = async (context, signal = new AbortController().signal) => {
    const working = agent();
    const end = working?.turnEnd;
    if (working === undefined || end === undefined) return NOT_ENDED;
    const { iteration } = context as { readonly iteration: number };
    try {
      return answerOf(await verify({ text: end.text, iteration, messages: working.messages, signal }));
    } catch (error) {
      return { met: false, reason: `verifyCompletion failed: ${messageOf(error)}`, feedback: FAILED };
    }
  };
  Object.defineProperty(call, 'name', { value: 'verifyCompletion' });
  return Object.assign(call, { timeoutMs: TIMEOUT_MS });
}

function answerOf(answer: CompletionAnswer): ConditionAnswer {
  const { complete, reason } = typeof answer === 'boolean' ? { complete: answer, reason: undefined } : answer;
  if (typeof complete !== 'boolean') throw new TypeError('it answered neither true nor false');
  if (complete) {
    const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
    return { met: true, reason: `verifyCompletion says that it is done${why}` };
  }
  if (reason === undefined) return { met: false, reason: 'verifyCompletion says that it is not done yet' };
  return { met: false, reason, feedback: reason };
}
