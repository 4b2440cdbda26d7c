import { sse } from './sse.js';
import type { Answer, AskedRequest, ServedTokens } from './step.js';

type Json = Readonly<Record<string, unknown>>;

/** Names that clients have for the same tool, and how each wants its input. */
const WRITERS: Readonly<Record<string, (path: string, content: string) => Json>> = {
  Write: (path, content) => ({ file_path: path, content }),
};
const SHELLS: Readonly<Record<string, (command: string) => Json>> = {
  Bash: (command) => ({ command, description: 'Runs a command' }),
};

/** The one content block of an answer, for the tools that the client declared. */
export function contentBlock(answer: Answer, request: AskedRequest, id: string): Json {
  if ('text' in answer) return { type: 'text', text: answer.text };
  if ('tool' in answer) return toolUse(id, answer.tool.name, answer.tool.input);
  if ('bash' in answer) {
    const name = request.tools.find((tool) => tool in SHELLS);
    return name === undefined ? noTool('run a command') : toolUse(id, name, SHELLS[name]?.(answer.bash) ?? {});
  }
  const name = request.tools.find((tool) => tool in WRITERS);
  const { path, content } = answer.writeFile;
  return name === undefined ? noTool('write a file') : toolUse(id, name, WRITERS[name]?.(path, content) ?? {});
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

function toolUse(id: string, name: string, input: Json): Json {
  return { type: 'tool_use', id: `toolu_${id}`, name, input };
}

/** A script that asks for the impossible shows in what the agent says. */
function noTool(what: string): Json {
  return { type: 'text', text: `The client declared no tool to ${what}.` };
}
