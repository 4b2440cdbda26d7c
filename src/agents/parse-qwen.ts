import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import type { LineReader } from './adapter.js';
import { type Fields, fieldsAt, jsonObject, listAt, numberAt, textAt } from './json-fields.js';
import { readAlone } from './line-reader.js';
import { plainWords } from './plain-words.js';
import { failureEvent } from './provider-failure.js';
import { toolInput, toolOutput } from './tool-text.js';

/**
 * Reads Qwen Code's stream-json. It looks like Claude Code's, but the input has the cache in it, and an error of the
 * provider comes as words of the model, at times after words that it did say. Only what follows tells the two apart: an
 * error is the last message. Until then it is held back.
 */
export function createQwenReader(): LineReader {
  let held: BrokenAnswer | undefined;
  const asWords = (): readonly AgentEvent[] => {
    const text = held === undefined ? '' : `${held.said}${held.error}`;
    held = undefined;
    return text === '' ? [] : [{ kind: 'text', text }];
  };
  const asFailure = (): readonly AgentEvent[] => {
    if (held === undefined) return [];
    const { said, error } = held;
    const words: readonly AgentEvent[] = said === '' ? [] : [{ kind: 'text', text: said }];
    return [...words, failureEvent(error, { status: statusIn(error) })];
  };
  return {
    read(line) {
      const fields = jsonObject(line);
      switch (textAt(fields, 'type')) {
        case 'system':
          return fromSystem(fields);
        case 'assistant': {
          const before = asWords();
          held = brokenAnswer(fieldsAt(fields, 'message'));
          return [...before, ...fromAssistant(fields, held !== undefined)];
        }
        case 'user':
          return [...asWords(), ...listAt(fieldsAt(fields, 'message'), 'content').flatMap(fromToolResult)];
        case 'result': {
          const failure = asFailure();
          held = undefined;
          return fromResult(fields, failure);
        }
        default:
          return [];
      }
    },
    end: asFailure,
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

interface BrokenAnswer {
  readonly said: string;
  readonly error: string;
}

const ERROR_MARK = '[API Error: ';

/** A message that the provider refused used nothing, nor did one that broke off; a model that says such words did. */
function brokenAnswer(message: Fields | undefined): BrokenAnswer | undefined {
  const text = listAt(message, 'content')
    .map((block) => textAt(block, 'text') ?? '')
    .join('')
    .trimEnd();
  const start = text.lastIndexOf(ERROR_MARK);
  if (start < 0 || !text.endsWith(']')) return undefined;
  const [said, error] = [text.slice(0, start), text.slice(start)];
  const isOwn = (usageOf(message).totalTokens ?? 0) === 0 || error.startsWith(`${ERROR_MARK}Model stream ended`);
  return isOwn ? { said, error } : undefined;
}

/** Each block is a line with a name of its own; the last one of a message has what the request used, the others zeros. */
function fromAssistant(fields: Fields | undefined, isHeld: boolean): readonly AgentEvent[] {
  const message = fieldsAt(fields, 'message');
  const isSubagent = textAt(fields, 'parent_tool_use_id') !== undefined;
  const events = listAt(message, 'content')
    .flatMap(fromBlock)
    .filter(({ kind }) => kind !== 'text' || !(isSubagent || isHeld));
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
function fromResult(fields: Fields | undefined, held: readonly AgentEvent[]): readonly AgentEvent[] {
  const text = textAt(fields, 'result') ?? textAt(fieldsAt(fields, 'error'), 'message');
  const isError = held.length > 0 || fields?.['is_error'] === true || textAt(fields, 'subtype') !== 'success';
  const denials = listAt(fields, 'permission_denials').map(
    (denial): AgentEvent => ({
      kind: 'permission-denied',
      tool: textAt(denial, 'tool_name') ?? 'a tool',
      id: textAt(denial, 'tool_use_id'),
      detail: toolInput(denial['tool_input']),
    }),
  );
  const usage = totalOf(fields);
  const failure =
    held.length > 0 || !isError || text === undefined ? held : [failureEvent(text, { status: statusIn(text) })];
  const outcome = textAt(fields, 'subtype') === 'error_max_turns' ? 'turns' : isError ? 'error' : 'success';
  const words = text === undefined || outcome === 'success' ? text : plainWords(text);
  return [...denials, ...usage, ...failure, { kind: 'result', outcome, text: words }];
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
