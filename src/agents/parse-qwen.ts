import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import type { LineReader } from './adapter.js';
import { type Fields, fieldsAt, jsonObject, listAt, numberAt, textAt } from './json-fields.js';
import { readAlone } from './line-reader.js';
import { failureEvent } from './provider-failure.js';
import { toolInput, toolOutput } from './tool-text.js';

/**
 * Reads Qwen Code's stream-json. It looks like Claude Code's, but an error of the provider comes as words of the model
 * and a success, and the input has the cache in it.
 */
export function createQwenReader(): LineReader {
  let hasFailed = false;
  return {
    read(line) {
      const fields = jsonObject(line);
      switch (textAt(fields, 'type')) {
        case 'system':
          return fromSystem(fields);
        case 'assistant': {
          const failure = failureOf(fieldsAt(fields, 'message'));
          hasFailed = failure !== undefined;
          return failure === undefined ? fromAssistant(fields) : [failure];
        }
        case 'user':
          return listAt(fieldsAt(fields, 'message'), 'content').flatMap(fromToolResult);
        case 'result':
          return fromResult(fields, hasFailed);
        default:
          return [];
      }
    },
    end: () => [],
  };
}

export function parseQwen(line: string): readonly AgentEvent[] {
  return readAlone(createQwenReader(), line);
}

/** A session that is not there is told here only. */
export function parseQwenError(line: string): readonly AgentEvent[] {
  return /^no saved session found with id\b/i.test(line)
    ? [{ kind: 'result', outcome: 'no-such-session', text: line }]
    : [];
}

function fromSystem(fields: Fields | undefined): readonly AgentEvent[] {
  const id = textAt(fields, 'subtype') === 'init' ? textAt(fields, 'session_id') : undefined;
  return id === undefined || id === '' ? [] : [{ kind: 'session', id }];
}

/** A message that the provider refused used nothing; a model that says the same words has used something. */
function failureOf(message: Fields | undefined): AgentEvent | undefined {
  const text = listAt(message, 'content')
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
  const found = /^\[API Error: (?:(\d{3})\b)?/.exec(text);
  if (found === null || (usageOf(message).totalTokens ?? 0) > 0) return undefined;
  return failureEvent(text, { status: found[1] === undefined ? undefined : Number(found[1]) });
}

/** Each block is a line with a name of its own; the last one of a message has what the request used, the others zeros. */
function fromAssistant(fields: Fields | undefined): readonly AgentEvent[] {
  const message = fieldsAt(fields, 'message');
  const isSubagent = textAt(fields, 'parent_tool_use_id') !== undefined;
  const events = listAt(message, 'content')
    .flatMap(fromBlock)
    .filter(({ kind }) => kind !== 'text' || !isSubagent);
  const spend = usageOf(message);
  if ((spend.totalTokens ?? 0) === 0) return events;
  return [
    ...events,
    { kind: 'usage', scope: 'request', id: textAt(message, 'id'), model: textAt(message, 'model'), spend },
  ];
}

function fromBlock(block: Fields): readonly AgentEvent[] {
  switch (textAt(block, 'type')) {
    case 'text': {
      const text = textAt(block, 'text') ?? '';
      return text === '' ? [] : [{ kind: 'text', text }];
    }
    case 'tool_use': {
      const name = textAt(block, 'name') ?? 'a tool';
      return [{ kind: 'tool-call', id: textAt(block, 'id'), name, input: toolInput(block['input']) }];
    }
    default:
      return [];
  }
}

function fromToolResult(block: Fields): readonly AgentEvent[] {
  if (textAt(block, 'type') !== 'tool_result') return [];
  const output =
    textAt(block, 'content') ??
    listAt(block, 'content')
      .map((part) => textAt(part, 'text') ?? '')
      .join('\n');
  const failed = block['is_error'] === true;
  return [{ kind: 'tool-result', id: textAt(block, 'tool_use_id'), failed, output: toolOutput(output) }];
}

/** Its usage is the total of the whole session, with requests that the stream does not show, such as those for its memory. */
function fromResult(fields: Fields | undefined, hasFailed: boolean): readonly AgentEvent[] {
  const text = textAt(fields, 'result') ?? textAt(fieldsAt(fields, 'error'), 'message');
  const isError = hasFailed || fields?.['is_error'] === true || textAt(fields, 'subtype') !== 'success';
  const denials = listAt(fields, 'permission_denials').map(
    (denial): AgentEvent => ({
      kind: 'permission-denied',
      tool: textAt(denial, 'tool_name') ?? 'a tool',
      id: textAt(denial, 'tool_use_id'),
      detail: toolInput(denial['tool_input']),
    }),
  );
  const usage = totalOf(fields);
  const failure = isError && !hasFailed && text !== undefined ? [failureEvent(text, { status: statusIn(text) })] : [];
  const outcome = textAt(fields, 'subtype') === 'error_max_turns' ? 'turns' : isError ? 'error' : 'success';
  return [...denials, ...usage, ...failure, { kind: 'result', outcome, text }];
}

function totalOf(fields: Fields | undefined): readonly AgentEvent[] {
  const spend = spendOf(fieldsAt(fields, 'usage'));
  if (spend.totalTokens === undefined) return [];
  return spend.totalTokens === 0
    ? [{ kind: 'usage', scope: 'turn', spend: NOTHING_SPENT }]
    : [{ kind: 'usage', scope: 'session-total', session: textAt(fields, 'session_id'), spend }];
}

function statusIn(text: string): number | undefined {
  const status = /\bAPI Error: (\d{3})\b/.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

function usageOf(message: Fields | undefined): Spend {
  return spendOf(fieldsAt(message, 'usage'));
}

function spendOf(usage: Fields | undefined): Spend {
  return cleanSpend({
    inputTokens: numberAt(usage, 'input_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    cacheReadTokens: numberAt(usage, 'cache_read_input_tokens'),
  }).spend;
}
