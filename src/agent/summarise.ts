import { headOf } from '../model/figures.js';
import type { ModelMessage } from 'ai';
import type { AgentListener } from '../iteration/agent.js';
import { callModel } from './call-model.js';
import { type Conversation, type KeptMessage, textOf } from './conversation.js';
import type { InProcessOptions } from './in-process-options.js';
import { toJson } from './message-json.js';
import { providerError } from './provider-error.js';
import type { RecordedConversations } from './recorded-conversations.js';
import { settledOr } from './settled-or.js';
import { NO_USAGE, UNKNOWN_USAGE, usageOf } from './told-spend.js';

const GRACE_MS = 500;
const SUMMARY_CHARACTERS = 64 * 1024;
const RETRIES = 2;
const REQUEST = `Write a summary of this conversation for someone who continues the task without having seen it: what was
asked, what has been done and found out, what is still to do, and every name, path and figure that is needed for it.
Write only the summary.`;

export interface SummaryRequest
  extends Pick<InProcessOptions, 'model' | 'modelId' | 'instructions' | 'settings' | 'summarize' | 'now'> {
  readonly conversations: RecordedConversations;
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
  readonly onEvent: AgentListener['onEvent'];
}

/** What is to be known of a conversation that is given up. It is on record: after a crash it is not asked for again. */
export async function summarise(request: SummaryRequest): Promise<string | undefined> {
  const { conversation, conversations, modelId, onEvent } = request;
  const isCalledAgain = conversations.wasHandingOver && conversation.summary === undefined;
  // The call that an earlier process did not see the end of has spent something, too.
  if (isCalledAgain && request.summarize === undefined) onEvent(UNKNOWN_USAGE);
  conversations.wasHandingOver = false;
  const kept = conversation.summary ?? (await write(request));
  if (kept === undefined) return undefined;
  const usage = conversations.unreported.includes(kept) ? usageOf(kept, modelId) : undefined;
  if (usage !== undefined) onEvent(usage);
  if (kept.call !== undefined) conversations.markReported(kept.call.id);
  return headOf(textOf(kept.message), SUMMARY_CHARACTERS);
}

async function write(request: SummaryRequest): Promise<KeptMessage | undefined> {
  const { conversation, conversations, summarize, onEvent } = request;
  const written = summarize === undefined ? await byModel(request) : await byCaller(request, summarize);
  if (written === undefined || written.text.trim() === '') return undefined;
  const { session, nextIndex: index } = conversation;
  const { text, call } = written;
  const message: ModelMessage = { role: 'assistant', content: text };
  const kept: KeptMessage = { session, index, message, call, purpose: 'summary' };
  onEvent({ kind: 'message', session, index, message: toJson(message), call, purpose: 'summary' });
  conversations.add(kept);
  return kept;
}

interface Written {
  readonly text: string;
  readonly call?: KeptMessage['call'];
}

async function byCaller(
  { conversation, signal }: SummaryRequest,
  summarize: NonNullable<SummaryRequest['summarize']>,
): Promise<Written | undefined> {
  const text = await settledOr(Promise.resolve(summarize(conversation.messages)), signal, GRACE_MS);
  return text === undefined ? undefined : { text };
}

async function byModel(request: SummaryRequest): Promise<Written | undefined> {
  const { conversation, model, modelId, instructions, settings, signal, onEvent, now } = request;
  const messages: ModelMessage[] = [...withoutOpenCalls(conversation), { role: 'user', content: REQUEST }];
  const call = callModel({ model, instructions, settings, messages, tools: {}, signal, maxRetries: RETRIES });
  try {
    const answer = await settledOr(call, signal, GRACE_MS);
    if (answer === undefined) throw new DOMException('the call was cancelled', 'AbortError');
    const { text, spend, finishReason } = answer;
    const id = `${conversation.session}.${conversation.nextIndex}`;
    return { text, call: { id, model: answer.model ?? modelId, spend, finishReason } };
  } catch (error) {
    const { isFree } = providerError(error, now());
    onEvent(isFree && !signal.aborted ? NO_USAGE : UNKNOWN_USAGE);
    return undefined;
  }
}

/** No provider takes a call without its result. */
function withoutOpenCalls({ messages, openCalls }: Conversation): readonly ModelMessage[] {
  if (openCalls.length === 0) return messages;
  return messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
}
