import {
  type CallSettings,
  generateText,
  type LanguageModel,
  type ModelMessage,
  type StepResult,
  streamText,
  type SystemModelMessage,
  type ToolSet,
} from 'ai';
import { messageOf } from '../model/errors.js';
import { isUnknown, type Spend } from '../model/usage.js';
import { spendOf } from './model-usage.js';

/** What of the AI SDK's settings goes to every model call. Retries are Pawl's: it waits, on record. */
export type ModelSettings = Omit<CallSettings, 'maxRetries' | 'abortSignal'> & {
  readonly providerOptions?: NonNullable<SystemModelMessage['providerOptions']>;
};

export interface ModelRequest {
  readonly model: LanguageModel;
  readonly instructions?: string | SystemModelMessage | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  readonly settings?: ModelSettings | undefined;
  readonly signal: AbortSignal;
  readonly maxRetries?: number | undefined;
  /** Told what comes, piece by piece. Without it the answer comes whole. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Told of every part of a stream, also those that say nothing yet. */
  readonly onLife?: (() => void) | undefined;
}

export interface ModelDelta {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly text: string;
}

export interface ModelAnswer {
  /** The assistant's message; without content when there was none. */
  readonly message: ModelMessage;
  readonly text: string;
  readonly model: string | undefined;
  readonly spend: Spend;
  readonly finishReason: string;
  /** Tool calls that cannot be made, by id: why not. */
  readonly invalid: Readonly<Record<string, string>>;
}

/** One model call. Throws what the provider or the SDK throws. */
export async function callModel(request: ModelRequest): Promise<ModelAnswer> {
  const step = request.onDelta === undefined ? await generated(request) : await streamed(request, request.onDelta);
  const spend = spendOf(step.usage);
  if (step.finishReason === 'other' && isUnknown(spend) && step.content.length === 0) {
    throw new Error('the answer of the model was cut off');
  }
  return {
    message: step.response.messages.find(({ role }) => role === 'assistant') ?? { role: 'assistant', content: [] },
    text: step.text,
    model: step.response.modelId,
    spend,
    finishReason: step.finishReason,
    invalid: invalidCalls(step),
  };
}

type Step = StepResult<ToolSet>;

async function generated(request: ModelRequest): Promise<Step> {
  const { steps } = await generateText(optionsOf(request));
  return only(steps);
}

async function streamed(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<Step> {
  // What goes wrong is a part of the stream; nothing is printed.
  const result = streamText({ ...optionsOf(request), onError: () => undefined });
  let isFinished = false;
  for await (const part of result.fullStream) {
    request.onLife?.();
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') onDelta({ type: part.type, text: part.text });
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw new DOMException('the call was aborted', 'AbortError');
    if (part.type === 'finish-step') isFinished = part.finishReason !== 'other' || !isUnknown(spendOf(part.usage));
  }
  if (!isFinished) throw new Error('the stream of the model was cut off');
  return only(await result.steps);
}

/**
 * The SDK checks every message that it is given, which takes longer and longer with a conversation. All but the newest were
 * checked when they were new, so it is given those only when it makes the call.
 */
function optionsOf({ model, instructions, messages, tools, settings, signal, maxRetries = 0 }: ModelRequest) {
  return {
    ...settings,
    model,
    ...(instructions === undefined ? {} : { system: instructions }),
    messages: messages.slice(-1),
    prepareStep: () => ({ messages: [...messages] }),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    maxRetries,
    abortSignal: signal,
  };
}

function only(steps: readonly Step[]): Step {
  const [step] = steps;
  if (step === undefined) throw new Error('the model gave no answer');
  return step;
}

function invalidCalls({ toolCalls }: Step): Readonly<Record<string, string>> {
  return Object.fromEntries(
    toolCalls.flatMap((call) =>
      call.invalid === true && call.providerExecuted !== true ? [[call.toolCallId, messageOf(call.error)]] : [],
    ),
  );
}
