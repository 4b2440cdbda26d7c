import type { ModelMessage } from 'ai';
import type { Agent, AgentEnd, AgentListener, AgentTask } from '../iteration/agent.js';
import type { AgentEvent } from '../model/agent-event.js';
import { messageOf } from '../model/errors.js';
import { textOf } from './conversation.js';
import type { InProcessOptions } from './in-process-options.js';
import { QuestionDesk } from './question-desk.js';
import { RecordedConversations } from './recorded-conversations.js';
import { summarise } from './summarise.js';
import { NO_USAGE, UNKNOWN_USAGE, usageOf } from './told-spend.js';
import { Turn } from './turn.js';

export const AGENT_NAME = 'ai-sdk';

/** An agent whose turns are model calls of this process. Its conversation is on record, message by message. */
export class InProcessAgent implements Agent {
  readonly name = AGENT_NAME;
  readonly usage = 'live';
  readonly canResume = true;
  readonly tellsResult = true;
  readonly keepsConversation = true;
  readonly desk = new QuestionDesk();
  readonly conversations = new RecordedConversations();
  readonly #options: InProcessOptions;
  #session: string | undefined;
  #loaded: Promise<void> | undefined;

  constructor(options: InProcessOptions) {
    this.#options = options;
  }

  /** Where the conversation is that continues now. */
  get messages(): readonly ModelMessage[] {
    return this.#session === undefined ? [] : this.conversations.open(this.#session).messages;
  }

  /** The model has ended its turn by itself. `isWhole`: and was not cut off at its length. */
  get turnEnd(): { readonly text: string; readonly isWhole: boolean } | undefined {
    const conversation = this.#session === undefined ? undefined : this.conversations.open(this.#session);
    const answer = conversation?.lastAnswer;
    if (conversation?.standing !== 'complete' || answer === undefined || conversation.brokenOff !== undefined)
      return undefined;
    return { text: textOf(answer.message), isWhole: answer.call?.finishReason !== 'length' };
  }

  async run(task: AgentTask, listener: AgentListener, signal: AbortSignal): Promise<AgentEnd> {
    try {
      await this.#load();
      const conversation = this.conversations.open(task.session ?? task.cookie);
      this.#session = conversation.session;
      const { conversations, desk } = this;
      return await new Turn({ ...this.#options, conversations, conversation, desk, task, listener, signal }).run();
    } catch (error) {
      const message = messageOf(error);
      listener.onEvent({ kind: 'error', error: 'other', message });
      this.#options.onPart?.({ type: 'error', message });
      return { cause: 'exit', exitCode: 1, stragglers: 0, survivors: 0 };
    } finally {
      this.conversations.isSettled = true;
    }
  }

  async handOver(
    session: string,
    { onEvent }: Pick<AgentListener, 'onEvent'>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      await this.#load();
      const { conversations } = this;
      return await summarise({
        ...this.#options,
        conversations,
        conversation: conversations.open(session),
        signal,
        onEvent,
      });
    } catch {
      return undefined;
    }
  }

  /** What was answered and not booked; and a call that may have been under way has spent something, too. */
  async recordedUsage(session: string): Promise<readonly AgentEvent[]> {
    await this.#load();
    const { conversations } = this;
    const booked = conversations.unreported.flatMap((kept) => usageOf(kept, this.#options.modelId) ?? []);
    for (const { id } of booked) if (id !== undefined) conversations.markReported(id);
    const isUnderWay = conversations.open(session).standing === 'asked';
    const { contextWindow } = this.#options;
    return [
      ...(contextWindow === undefined ? [] : [{ kind: 'context', windowTokens: contextWindow } as const]),
      ...booked,
      isUnderWay ? UNKNOWN_USAGE : NO_USAGE,
    ];
  }

  #load(): Promise<void> {
    const { record } = this.#options;
    this.#loaded ??= record === undefined ? Promise.resolve() : this.conversations.load(record());
    return this.#loaded;
  }
}
