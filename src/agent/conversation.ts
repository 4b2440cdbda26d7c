import type { AssistantModelMessage, ModelMessage, ToolCallPart, ToolModelMessage, ToolResultPart } from 'ai';
import type { ModelCall } from '../model/run-event.js';

/** A message as it is on record. */
export interface KeptMessage {
  readonly session: string;
  readonly index: number;
  readonly message: ModelMessage;
  readonly call?: ModelCall | undefined;
  readonly purpose?: 'summary' | undefined;
}

/**
 * What comes next in a conversation: nothing was said yet; the model is to answer; tools are to be run; the model has
 * ended its turn.
 */
export type Standing = 'empty' | 'asked' | 'tools' | 'complete';

/** One conversation. Every message in it is on record. */
export class Conversation {
  readonly session: string;
  readonly #spoken: ModelMessage[] = [];
  #nextIndex = 0;
  #lastAnswer: KeptMessage | undefined;
  /** Tool calls of the last answer that have a result. */
  readonly #answered = new Set<string>();
  #lastQuestion = '';
  #summary: KeptMessage | undefined;

  constructor(session: string) {
    this.session = session;
  }

  get nextIndex(): number {
    return this.#nextIndex;
  }

  /** What a fresh conversation is to know of this one, if that was written already. */
  get summary(): KeptMessage | undefined {
    return this.#summary;
  }

  get lastAnswer(): KeptMessage | undefined {
    return this.#lastAnswer;
  }

  /** How the provider or the model broke the last answer off; undefined for one that came to its end. */
  get brokenOff(): 'content-filter' | 'error' | undefined {
    const finishReason = this.#lastAnswer?.call?.finishReason;
    return finishReason === 'content-filter' || finishReason === 'error' ? finishReason : undefined;
  }

  get lastQuestion(): string {
    return this.#lastQuestion;
  }

  add(kept: KeptMessage): void {
    const { message } = kept;
    this.#nextIndex = kept.index + 1;
    this.#summary = kept.purpose === 'summary' ? kept : undefined;
    if (kept.purpose === 'summary') return;
    this.#spoken.push(message);
    if (message.role === 'user') this.#lastQuestion = textOf(message);
    if (message.role === 'tool') for (const { toolCallId } of resultsOf(message)) this.#answered.add(toolCallId);
    if (message.role !== 'assistant') return;
    this.#lastAnswer = kept;
    this.#answered.clear();
  }

  /** As the model is given them: the results of one answer in one message, in the order of its calls. */
  get messages(): readonly ModelMessage[] {
    const messages: ModelMessage[] = [];
    let order: readonly string[] = [];
    for (const message of this.#spoken) {
      const last = messages.at(-1);
      if (message.role === 'assistant') order = callsOf(message).map(({ toolCallId }) => toolCallId);
      if (message.role === 'assistant' && message.content.length === 0) continue;
      if (message.role === 'tool' && last?.role === 'tool')
        messages[messages.length - 1] = merged(last, message, order);
      else messages.push(message);
    }
    return messages;
  }

  get standing(): Standing {
    const last = this.#spoken.at(-1);
    if (last === undefined) return 'empty';
    if (last.role === 'user' || last.role === 'system') return 'asked';
    if (this.openCalls.length > 0) return 'tools';
    return last.role === 'tool' ? 'asked' : 'complete';
  }

  /** Tool calls of the last answer that have no result yet. */
  get openCalls(): readonly ToolCallPart[] {
    return callsOf(this.#lastAnswer?.message).filter(({ toolCallId }) => !this.#answered.has(toolCallId));
  }

  /** Why a call of the last answer cannot be made. */
  whyInvalid(toolCallId: string): string | undefined {
    const { invalid = {} } = this.#lastAnswer?.call ?? {};
    return Object.hasOwn(invalid, toolCallId) ? invalid[toolCallId] : undefined;
  }
}

/** Calls that are not the provider's own business. */
export function callsOf(message: ModelMessage | undefined): readonly ToolCallPart[] {
  if (message?.role !== 'assistant' || typeof message.content === 'string') return [];
  return message.content.filter((part) => part.type === 'tool-call').filter((part) => part.providerExecuted !== true);
}

export function resultsOf(message: ToolModelMessage): readonly ToolResultPart[] {
  return message.content.filter((part) => part.type === 'tool-result');
}

/** What a message says in words. */
export function textOf(message: ModelMessage | AssistantModelMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

function merged(first: ToolModelMessage, second: ToolModelMessage, order: readonly string[]): ToolModelMessage {
  const rank = (part: ToolModelMessage['content'][number]): number =>
    part.type === 'tool-result' ? order.indexOf(part.toolCallId) : order.length;
  return { role: 'tool', content: [...first.content, ...second.content].sort((a, b) => rank(a) - rank(b)) };
}
