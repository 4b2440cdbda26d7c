import type { ModelMessage } from 'ai';
import type { Told } from '../iteration/prompt.js';

const NOTHING_NEW = 'The task is not done yet. Continue.';

/** The first message of a conversation: the task, and what is known from before. */
export function firstMessage(prompt: string, told: Told | undefined): ModelMessage {
  const handover = told?.handover === undefined ? [] : [`## What was done before\n\n${told.handover}`];
  return user([prompt, ...handover, ...steersOf(told), ...feedbackOf(told)]);
}

/** What is said after a turn that did not reach the goal. `goalWords`: what that would take, from before a restart. */
export function nextMessage(told: Told | undefined, goalWords: string | undefined): ModelMessage {
  const isNew = goalWords !== undefined && told?.feedback.includes(goalWords) !== true;
  const recalled = isNew ? [`Not done yet:\n- ${goalWords}`] : [];
  const words = [...steersOf(told), ...feedbackOf(told), ...recalled];
  return user(words.length > 0 ? words : [NOTHING_NEW]);
}

/** What operators have said and this conversation has not heard; undefined when it has. */
export function steerMessage(told: Told | undefined, lastQuestion: string): ModelMessage | undefined {
  const unheard = steersOf(told).filter((text) => !lastQuestion.includes(text));
  return unheard.length === 0 ? undefined : user(unheard);
}

function steersOf(told: Told | undefined): readonly string[] {
  return (told?.steers ?? []).map((text) => `The operator says: ${text}`);
}

function feedbackOf(told: Told | undefined): readonly string[] {
  return told === undefined || told.feedback === '' ? [] : [told.feedback];
}

function user(parts: readonly string[]): ModelMessage {
  return { role: 'user', content: parts.join('\n\n') };
}
