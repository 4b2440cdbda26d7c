/** What a scripted model answers to one call. */
export interface ScriptedAnswer {
  readonly text?: string | undefined;
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined;
  /** Tokens; 100 in and 10 out unless given. */
  readonly usage?: ScriptedUsage | undefined;
  readonly finishReason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' | undefined;
  /** The provider refuses, or the line breaks: this is thrown. */
  readonly error?: unknown;
  /** Streamed only: it is thrown after the text. */
  readonly breaksWith?: unknown;
}

export interface ScriptedToolCall {
  readonly name: string;
  readonly input?: unknown;
  /** Numbered unless given. */
  readonly id?: string | undefined;
}

export interface ScriptedUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** What a model was asked: the prompt as the provider would have got it. */
export interface ScriptedCall {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly abortSignal?: AbortSignal | undefined;
}

export type ScriptedReply =
  | ScriptedAnswer
  | ((call: ScriptedCall, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

interface Usage {
  readonly inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  readonly outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
}

interface FinishReason {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  raw: string | undefined;
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string };

type StreamPart =
  | { type: 'stream-start'; warnings: [] }
  | { type: 'response-metadata'; id: string; modelId: string }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string }
  | { type: 'error'; error: unknown }
  | { type: 'finish'; usage: Usage; finishReason: FinishReason };

/** A model of the AI SDK that follows a script. */
export interface ScriptedModel {
  readonly specificationVersion: 'v3';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  /** What it was asked, in order. */
  readonly calls: readonly ScriptedCall[];
  doGenerate(options: ScriptedCall): Promise<{
    content: Content[];
    finishReason: FinishReason;
    usage: Usage;
    warnings: [];
    response: { id: string; modelId: string };
  }>;
  doStream(options: ScriptedCall): Promise<{ stream: ReadableStream<StreamPart> }>;
}

/**
 * A model for the AI SDK that answers by a script, one answer per call, and repeats the last. Nothing leaves the process.
 *
 * @example
 * ```ts
 * import { createDeepFactorAgent } from 'pawl/agent';
 * import { scriptedModel } from 'pawl/testing';
 *
 * const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'DONE' }]);
 * await createDeepFactorAgent({ model, tools }).loop({ prompt: 'go' });
 * model.calls.length; // 2
 * ```
 */
export function scriptedModel(
  replies: readonly ScriptedReply[],
  {
    modelId = 'claude-sonnet-4-5',
    provider = 'scripted',
  }: { readonly modelId?: string; readonly provider?: string } = {},
): ScriptedModel {
  const calls: ScriptedCall[] = [];
  const next = async (call: ScriptedCall): Promise<Scripted> => {
    const index = calls.length;
    calls.push(call);
    const reply = replies[Math.min(index, replies.length - 1)] ?? {};
    const answer = typeof reply === 'function' ? await reply(call, index) : reply;
    if (answer.error !== undefined) throw answer.error;
    return scripted(answer, index);
  };
  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    supportedUrls: {},
    calls,
    async doGenerate(options) {
      const { content, finishReason, usage, id } = await next(options);
      return { content, finishReason, usage, warnings: [], response: { id, modelId } };
    },
    async doStream(options) {
      return { stream: streamOf(await next(options), modelId) };
    },
  };
}

interface Scripted {
  readonly id: string;
  readonly content: Content[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly breaksWith: unknown;
}

function scripted(answer: ScriptedAnswer, index: number): Scripted {
  const { text, toolCalls = [], breaksWith } = answer;
  const content: Content[] = [
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...toolCalls.map(
      ({ name, input = {}, id }, position) =>
        ({
          type: 'tool-call',
          toolCallId: id ?? `call_${index}_${position}`,
          toolName: name,
          input: typeof input === 'string' ? input : JSON.stringify(input),
        }) as const,
    ),
  ];
  const unified = answer.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop');
  return {
    id: `answer_${index}`,
    content,
    finishReason: { unified, raw: unified },
    usage: usageOf(answer),
    breaksWith,
  };
}

function usageOf({ usage = {} }: ScriptedAnswer): Usage {
  const { input = 100, output = 10, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage;
  return {
    inputTokens: { total: input, noCache: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  };
}

/** Text comes word by word. */
function streamOf(
  { id, content, finishReason, usage, breaksWith }: Scripted,
  modelId: string,
): ReadableStream<StreamPart> {
  const parts: StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id, modelId },
    ...content.flatMap((part): StreamPart[] => (part.type === 'tool-call' ? [part] : textParts(part.text))),
    ...(breaksWith === undefined
      ? [{ type: 'finish', usage, finishReason } as const]
      : [{ type: 'error', error: breaksWith } as const]),
  ];
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

function textParts(text: string): StreamPart[] {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  return [
    { type: 'text-start', id: 't' },
    ...words.map((delta) => ({ type: 'text-delta', id: 't', delta }) as const),
    { type: 'text-end', id: 't' },
  ];
}
