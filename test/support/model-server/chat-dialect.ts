import type { Dialect, Served } from './dialect.js';
import { responsesRefusalOf } from './responses-refusal.js';
import { sseData } from './sse.js';
import type { AskedRequest, ServedTokens } from './step.js';
import { type Output, outputOf } from './tool-use.js';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAI Chat Completions API. */
export const CHAT: Dialect = {
  paths: /^\/v1\/chat\/completions$/,
  asked,
  isStreamed: (body) => (body as { stream?: boolean }).stream === true,
  start: (served) => chunk(served, { role: 'assistant', content: '' }),
  rest(answer, request, served) {
    const output = outputOf(answer, request);
    return chunk(served, deltaOf(output, served.id)) + end(served, finishReason(output));
  },
  restCutOff: (served) => end(served, 'length'),
  streamError: () => sseData({ error: { type: 'server_error', code: 'overloaded', message: 'Overloaded' } }),
  whole(answer, request, served) {
    const output = outputOf(answer, request);
    const message = { role: 'assistant', content: null, ...deltaOf(output, served.id) };
    const choices = [{ index: 0, message, finish_reason: finishReason(output) }];
    return JSON.stringify({ ...head(served), object: 'chat.completion', choices, usage: usageOf(served.tokens) });
  },
  refusal: responsesRefusalOf,
  // Only its end tells what an answer has used.
  tokensAtStart: undefined,
};

function asked(body: unknown): AskedRequest {
  const fields = body as {
    model?: string;
    messages?: readonly unknown[];
    tools?: readonly { function?: { name?: string } }[];
  };
  return {
    model: fields.model ?? '',
    messages: fields.messages ?? [],
    tools: (fields.tools ?? []).flatMap((tool) => tool.function?.name ?? []),
  };
}

function head({ id, model }: Served): Json {
  return { id: `chatcmpl-${id}`, created: Math.floor(Date.now() / 1000), model };
}

function chunk(served: Served, delta: Json, more: Json = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null, ...more }];
  return sseData({ ...head(served), object: 'chat.completion.chunk', choices });
}

/** How it ended, then what it used, in a chunk without a choice. */
function end(served: Served, reason: string): string {
  const used = { ...head(served), object: 'chat.completion.chunk', choices: [], usage: usageOf(served.tokens) };
  return `${chunk(served, {}, { finish_reason: reason })}${sseData(used)}data: [DONE]\n\n`;
}

function deltaOf(output: Output, id: string): Json {
  if ('text' in output) return { content: output.text };
  const call = { name: output.name, arguments: JSON.stringify(output.input) };
  return { tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }] };
}

function finishReason(output: Output): string {
  return 'text' in output ? 'stop' : 'tool_calls';
}

/** Here input is all input, and nothing is told of what was written to the cache. */
function usageOf({ input, output, cacheRead, cacheWrite, reasoning = 0 }: ServedTokens): Json {
  const all = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: all,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens: output,
    completion_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: all + output,
  };
}
