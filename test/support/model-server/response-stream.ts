import type { Served } from './dialect.js';
import { sse } from './sse.js';
import type { Answer, AskedRequest, ServedTokens } from './step.js';
import { outputOf } from './tool-use.js';

type Json = Readonly<Record<string, unknown>>;

/** The one item of an answer, for the tools that Codex declared. */
export function outputItem(answer: Answer, request: AskedRequest, id: string): Json {
  // Its tool to write a file takes a text, not JSON.
  if ('writeFile' in answer && request.tools.includes('apply_patch'))
    return { type: 'custom_tool_call', call_id: `call_${id}`, name: 'apply_patch', input: patchOf(answer.writeFile) };
  const output = outputOf(answer, request);
  return 'text' in output ? message(id, output.text) : functionCall(id, output.name, output.input);
}

export function responseStart(id: string, model: string): string {
  return sse('response.created', {
    response: { id: `resp_${id}`, created_at: nowSeconds(), model, status: 'in_progress' },
  });
}

/** An item of a streamed response: that it begins, its text, that it is whole. */
export function responseItem(item: Json): string {
  const empty = 'content' in item ? { ...item, content: [] } : 'arguments' in item ? { ...item, arguments: '' } : item;
  const [content] = (item['content'] ?? []) as readonly { readonly text: string }[];
  const place = { output_index: 0, item_id: item['id'], content_index: 0 };
  return [
    sse('response.output_item.added', { output_index: 0, item: { ...empty, status: 'in_progress' } }),
    content === undefined ? '' : sse('response.output_text.delta', { ...place, delta: content.text }),
    sse('response.output_item.done', { output_index: 0, item }),
  ].join('');
}

export function responseEnd(type: 'response.completed' | 'response.incomplete', { id, model, tokens }: Served): string {
  const isWhole = type === 'response.completed';
  const details = isWhole ? null : { reason: 'max_output_tokens' };
  const status = isWhole ? 'completed' : 'incomplete';
  const response = { id: `resp_${id}`, model, status, incomplete_details: details, usage: usageOf(tokens) };
  return sse(type, { response });
}

export function wholeResponse(item: Json, { id, model, tokens }: Served): string {
  return JSON.stringify({
    id: `resp_${id}`,
    created_at: nowSeconds(),
    model,
    status: 'completed',
    output: [item],
    usage: usageOf(tokens),
  });
}

/** Here input is all input, with the cache. */
function usageOf({ input, output, cacheRead, cacheWrite, reasoning = 0 }: ServedTokens): Json {
  const all = input + cacheRead + cacheWrite;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: all + output,
  };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function message(id: string, text: string): Json {
  return {
    type: 'message',
    id: `msg_${id}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function functionCall(id: string, name: string, input: Json): Json {
  const ids = { id: `fc_${id}`, call_id: `call_${id}` };
  return { type: 'function_call', ...ids, status: 'completed', name, arguments: JSON.stringify(input) };
}

function patchOf({ path, content }: { readonly path: string; readonly content: string }): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch'].join('\n');
}
