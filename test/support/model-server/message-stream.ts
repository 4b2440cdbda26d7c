import { sse } from './sse.js';
import type { Answer, AskedRequest, ServedTokens } from './step.js';
import { outputOf } from './tool-use.js';

type Json = Readonly<Record<string, unknown>>;

/** The one content block of an answer, for the tools that the client declared. */
export function contentBlock(answer: Answer, request: AskedRequest, id: string): Json {
  const output = outputOf(answer, request);
  if ('text' in output) return { type: 'text', text: output.text };
  return { type: 'tool_use', id: `toolu_${id}`, ...output };
}

/** The events of a streamed message up to its content: all that an answer that breaks off has told. */
export function messageStart(id: string, model: string, tokens: ServedTokens): string {
  const usage = { ...usageOf(tokens), output_tokens: 1 };
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  return sse('message_start', { message });
}

export function messageRest(block: Json, tokens: ServedTokens): string {
  const isTool = block['type'] === 'tool_use';
  const empty = isTool ? { ...block, input: {} } : { ...block, text: '' };
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }
    : { type: 'text_delta', text: block['text'] };
  return [
    sse('content_block_start', { index: 0, content_block: empty }),
    sse('content_block_delta', { index: 0, delta }),
    sse('content_block_stop', { index: 0 }),
    sse('message_delta', { delta: { stop_reason: stopReason(block), stop_sequence: null }, usage: usageOf(tokens) }),
    sse('message_stop', {}),
  ].join('');
}

export function messageCutOff(tokens: ServedTokens): string {
  const delta = { stop_reason: 'max_tokens', stop_sequence: null };
  return sse('message_delta', { delta, usage: usageOf(tokens) }) + sse('message_stop', {});
}

/** The same answer for a client that does not want a stream. */
export function wholeMessage(id: string, model: string, block: Json, tokens: ServedTokens): string {
  const usage = usageOf(tokens);
  const message = { id, type: 'message', role: 'assistant', model, content: [block], stop_reason: stopReason(block) };
  return JSON.stringify({ ...message, stop_sequence: null, usage });
}

function usageOf({ input, output, cacheRead, cacheWrite }: ServedTokens): Json {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

function stopReason(block: Json): string {
  return block['type'] === 'tool_use' ? 'tool_use' : 'end_turn';
}
