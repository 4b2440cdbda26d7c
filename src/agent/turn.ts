import { setImmediate } from 'node:timers/promises';
import type { ModelMessage } from 'ai';
import type { AgentEnd, AgentListener, AgentTask } from '../iteration/agent.js';
import type { Told } from '../iteration/prompt.js';
import type { AgentEventOf } from '../model/agent-event.js';
import { callModel, type ModelAnswer } from './call-model.js';
import { type Conversation, type KeptMessage, textOf } from './conversation.js';
import type { InProcessOptions } from './in-process-options.js';
import { toJson } from './message-json.js';
import { modelTools } from './model-tools.js';
import { providerError } from './provider-error.js';
import type { QuestionDesk } from './question-desk.js';
import type { RecordedConversations } from './recorded-conversations.js';
import { settledOr } from './settled-or.js';
import { NO_USAGE, UNKNOWN_USAGE, usageOf } from './told-spend.js';
import { ToolRunner } from './tool-runner.js';
import { TurnClock } from './turn-clock.js';

/** What is interrupted has this long to come to its end by itself. */
const GRACE_MS = 500;

interface TurnOptions extends InProcessOptions {
  readonly conversations: RecordedConversations;
  readonly conversation: Conversation;
  readonly desk: QuestionDesk;
  readonly task: AgentTask;
  readonly listener: AgentListener;
  readonly signal: AbortSignal;
}

/** One iteration: from what the model is told to its last word, with all tools between. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #clock: TurnClock;
  /** The run, or the clock, ends it. */
  readonly #stop: AbortSignal;
  readonly #tools: ToolRunner;
  #hasSpend = false;
  /** Model calls that were answered. */
  #steps = 0;
  #usedTokens: number | undefined;

  constructor(options: TurnOptions) {
    const { task, signal, tools, desk, listener, onPart, conversation } = options;
    this.#options = options;
    this.#clock = new TurnClock(task);
    this.#stop = AbortSignal.any([signal, this.#clock.signal]);
    this.#tools = new ToolRunner({
      tools,
      desk,
      clock: this.#clock,
      conversation,
      signal: this.#stop,
      tell: (event) => listener.onEvent(event),
      record: (message) => this.#record(message),
      onPart,
    });
  }

  async run(): Promise<AgentEnd> {
    try {
      return await this.#run();
    } finally {
      this.#clock.stop();
      this.#tools.close();
    }
  }

  async #run(): Promise<AgentEnd> {
    const { listener, conversation, contextWindow } = this.#options;
    listener.onEvent({ kind: 'session', id: conversation.session });
    const usedTokens = conversation.lastAnswer?.call?.spend.totalTokens;
    if (contextWindow !== undefined) listener.onEvent({ kind: 'context', windowTokens: contextWindow, usedTokens });
    const opening = this.#opening();
    if (opening !== undefined) this.#record(opening);
    else this.#usedTokens = usedTokens;
    // From here on something may be spent.
    listener.onSpawn({ pid: process.pid, startTime: '0' });
    const isDone = await this.#work();
    this.#giveUpTools();
    if (!this.#hasSpend) this.#tellUsage(NO_USAGE);
    if (isDone && !this.#stop.aborted) this.#tellResult();
    return this.#end(isDone);
  }

  /** What the model is told before anything else; nothing when it continues in the middle of a turn. */
  #opening(): ModelMessage | undefined {
    const { conversation, conversations, prompt, task } = this.#options;
    switch (conversation.standing) {
      case 'empty':
        return firstMessage(prompt, task.told);
      case 'complete':
        return conversations.isSettled ? nextMessage(task.told, conversations.takeGoalWords()) : undefined;
      case 'asked':
        return steerMessage(task.told, conversation.lastQuestion);
      case 'tools':
        return undefined;
      default:
        return conversation.standing satisfies never;
    }
  }

  /** Until the model has no more to do; false when something ended it before. */
  async #work(): Promise<boolean> {
    const { conversation, task, maxStepsPerTurn } = this.#options;
    const wasAtTools = conversation.standing === 'tools';
    while (!this.#stop.aborted) {
      const { standing } = conversation;
      if (standing === 'complete') return !this.#isBrokenOff();
      if (standing === 'tools') {
        // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
        await settledOr(this.#tools.run(conversation.openCalls), this.#stop, GRACE_MS);
        const steer = wasAtTools && this.#steps === 0 ? steerMessage(task.told, conversation.lastQuestion) : undefined;
        if (conversation.standing === 'asked' && steer !== undefined) this.#record(steer);
        continue;
      }
      if (this.#isAboveRedline() || this.#steps >= maxStepsPerTurn) return true;
      // A model that answers without I/O must not keep signals and timers waiting.
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await setImmediate();
      if (this.#stop.aborted) return false;
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      if (!(await this.#ask())) return false;
      this.#steps += 1;
    }
    return false;
  }

  /** A tool that hangs would hang again: after a skip or a timeout the model is told, and can do something else. */
  #giveUpTools(): void {
    const { signal, conversation } = this.#options;
    const isSkipped = signal.aborted && signal.reason === 'skip';
    const why = isSkipped ? 'it was skipped' : 'it did not end in time';
    if (!isSkipped && this.#clock.cause === undefined) return;
    this.#tools.close();
    for (const call of conversation.openCalls) this.#tools.giveUp(call, why);
  }

  /** One model call. False when it failed, which is told. */
  async #ask(): Promise<boolean> {
    const { model, instructions, settings, conversation, tools, onPart, now } = this.#options;
    this.#clock.sawLife();
    const { messages } = conversation;
    const call = callModel({
      model,
      instructions,
      messages,
      tools: modelTools(tools, messages),
      settings,
      signal: this.#stop,
      onDelta: onPart,
      onLife: () => this.#clock.sawLife(),
    });
    try {
      const answer = await settledOr(call, this.#stop, GRACE_MS);
      if (answer === undefined) throw new DOMException('the call was cancelled', 'AbortError');
      this.#answered(answer);
      return !this.#isBrokenOff();
    } catch (error) {
      const { event, isFree } = providerError(error, now());
      const isOwn = this.#stop.aborted;
      this.#tellUsage(isFree && !isOwn ? NO_USAGE : UNKNOWN_USAGE);
      if (!isOwn) this.#tellError(event);
      return false;
    } finally {
      this.#clock.callEnded();
    }
  }

  /** The answer is on record before anything follows from it. */
  #answered(answer: ModelAnswer): void {
    const { conversation, conversations, listener, modelId } = this.#options;
    const { message, model = modelId, spend, finishReason, invalid } = answer;
    const id = `${conversation.session}.${conversation.nextIndex}`;
    const hasInvalid = Object.keys(invalid).length > 0;
    const call = { id, model, spend, finishReason, ...(hasInvalid ? { invalid } : {}) };
    const kept = this.#record(message, call);
    if (answer.text !== '') listener.onEvent({ kind: 'text', text: answer.text });
    const usage = usageOf(kept, modelId);
    if (usage !== undefined) this.#tellUsage(usage);
    conversations.markReported(id);
    this.#usedTokens = spend.totalTokens ?? this.#usedTokens;
  }

  /** Such an answer fails the iteration, which is told. */
  #isBrokenOff(): boolean {
    const { brokenOff } = this.#options.conversation;
    if (brokenOff === undefined) return false;
    this.#tellError({ kind: 'error', error: 'other', message: `the model ended its answer with ${brokenOff}` });
    return true;
  }

  #tellError(event: AgentEventOf<'error' | 'limit'>): void {
    const { listener, onPart } = this.#options;
    listener.onEvent(event);
    onPart?.({ type: 'error', message: event.message });
  }

  /** The rest of the turn is for a fresh conversation. */
  #isAboveRedline(): boolean {
    const { contextWindow, redlinePercent } = this.#options;
    if (contextWindow === undefined || this.#usedTokens === undefined) return false;
    return (this.#usedTokens / contextWindow) * 100 > redlinePercent;
  }

  #tellResult(): void {
    const { conversation, listener } = this.#options;
    const answer = conversation.lastAnswer;
    const text = answer === undefined ? '' : textOf(answer.message);
    const isComplete = conversation.standing === 'complete';
    listener.onEvent({ kind: 'result', outcome: isComplete ? 'success' : 'turns', text });
  }

  #end(isDone: boolean): AgentEnd {
    const none = { stragglers: 0, survivors: 0 } as const;
    if (this.#options.signal.aborted) return { cause: 'aborted', ...none };
    if (this.#clock.cause !== undefined) return { cause: this.#clock.cause, ...none };
    return { cause: 'exit', exitCode: isDone ? 0 : 1, ...none };
  }

  #record(message: ModelMessage, call?: KeptMessage['call']): KeptMessage {
    const { conversation, conversations, listener } = this.#options;
    const { session, nextIndex: index } = conversation;
    const kept: KeptMessage = { session, index, message, call };
    listener.onEvent({ kind: 'message', session, index, message: toJson(message), call });
    conversations.add(kept);
    return kept;
  }

  #tellUsage(usage: AgentEventOf<'usage'>): void {
    this.#hasSpend = true;
    this.#options.listener.onEvent(usage);
  }
}

const NOTHING_NEW = 'The task is not done yet. Continue.';

/** The first message of a conversation: the task, and what is known from before. */
function firstMessage(prompt: string, told: Told | undefined): ModelMessage {
  const handover = told?.handover === undefined ? [] : [`## What was done before\n\n${told.handover}`];
  return user([prompt, ...handover, ...steersOf(told), ...feedbackOf(told)]);
}

/** What is said after a turn that did not reach the goal. `goalWords`: what that would take, from before a restart. */
function nextMessage(told: Told | undefined, goalWords: string | undefined): ModelMessage {
  const isNew = goalWords !== undefined && told?.feedback.includes(goalWords) !== true;
  const recalled = isNew ? [`Not done yet:\n- ${goalWords}`] : [];
  const words = [...steersOf(told), ...feedbackOf(told), ...recalled];
  return user(words.length > 0 ? words : [NOTHING_NEW]);
}

/** What operators have said and this conversation has not heard; undefined when it has. */
function steerMessage(told: Told | undefined, lastQuestion: string): ModelMessage | undefined {
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
