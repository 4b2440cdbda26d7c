import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend, NOTHING_SPENT } from '../model/usage.js';
import type { LineReader } from './adapter.js';
import { type Fields, fieldsAt, jsonObject, numberAt, textAt } from './json-fields.js';
import { namingDenied, readAlone } from './line-reader.js';
import { failureEvent, retryEvent } from './provider-failure.js';
import { allOutput } from './request-log.js';
import { resetTime } from './reset-time.js';
import { toolInput, toolOutput } from './tool-text.js';

/** One message is not longer than this, whatever comes. */
const MESSAGE_CHARACTERS = 1024 * 1024;

/** Reads Gemini's stream-json: what it says comes in pieces, which are one message until something else comes. */
export function createGeminiReader({ now }: { readonly now?: () => Date } = {}): LineReader {
  let said = '';
  let warning: string | undefined;
  const flush = (): readonly AgentEvent[] => {
    const text = said;
    said = '';
    return text === '' ? [] : [{ kind: 'text', text }];
  };
  return namingDenied({
    read(line) {
      const fields = jsonObject(line);
      // It stops by itself, and still calls that a success.
      if (textAt(fields, 'type') === 'error') warning = textAt(fields, 'message') ?? warning;
      if (textAt(fields, 'type') !== 'message')
        return fields === undefined ? [] : [...flush(), ...eventsOf(fields, warning, now?.())];
      // The prompt is told, too, as a message of the user.
      if (textAt(fields, 'role') !== 'assistant') return flush();
      const before = fields?.['delta'] === true ? [] : flush();
      said += textAt(fields, 'content') ?? '';
      return said.length > MESSAGE_CHARACTERS ? [...before, ...flush()] : before;
    },
    end: flush,
  });
}

export function parseGemini(line: string): readonly AgentEvent[] {
  return readAlone(createGeminiReader(), line);
}

/** A session that is not there is told here only, and so is why it tries again. */
export function parseGeminiError(line: string): readonly AgentEvent[] {
  const retry = /^attempt (\d{1,6}) failed(?: with status (\d{3}))?\b[^.]*\. retrying\b/i.exec(line);
  if (retry !== null) {
    const reason = line.slice(line.indexOf('{'));
    const status = retry[2] === undefined ? undefined : Number(retry[2]);
    return [
      retryEvent(reason.startsWith('{') ? `${retry[2] ?? ''} ${reason}`.trim() : retry[0], Number(retry[1]), status),
    ];
  }
  return /^error resuming session: (?:invalid session identifier|no previous sessions)/i.test(line)
    ? [{ kind: 'result', outcome: 'no-such-session', text: line }]
    : [];
}

function eventsOf(fields: Fields, warning: string | undefined, now: Date | undefined): readonly AgentEvent[] {
  switch (textAt(fields, 'type')) {
    case 'init': {
      const id = textAt(fields, 'session_id');
      return id === undefined || id === '' ? [] : [{ kind: 'session', id }];
    }
    case 'tool_use':
      return [
        {
          kind: 'tool-call',
          id: textAt(fields, 'tool_id'),
          name: textAt(fields, 'tool_name') ?? 'a tool',
          input: toolInput(fields['parameters']),
        },
      ];
    case 'tool_result':
      return fromToolResult(fields);
    case 'result':
      return fromResult(fields, warning, now);
    default:
      return [];
  }
}

function fromToolResult(fields: Fields): readonly AgentEvent[] {
  const id = textAt(fields, 'tool_id');
  const error = fieldsAt(fields, 'error');
  const output = textAt(fields, 'output') ?? textAt(error, 'message');
  const failed = textAt(fields, 'status') !== 'success';
  const result: AgentEvent = { kind: 'tool-result', id, failed, output: toolOutput(output) };
  if (textAt(error, 'type') !== 'policy_violation') return [result];
  return [
    { kind: 'permission-denied', tool: 'a tool', id, detail: output },
    { ...result, denied: true },
  ];
}

/** Its figures are those of this invocation, also in a session that is gone on with. */
function fromResult(fields: Fields, warning: string | undefined, now: Date | undefined): readonly AgentEvent[] {
  const usage = usageOf(fieldsAt(fields, 'stats'));
  if (textAt(fields, 'status') !== 'error' && warning === undefined)
    return [...usage, { kind: 'result', outcome: 'success' }];
  const message = textAt(fieldsAt(fields, 'error'), 'message') ?? warning ?? 'Gemini reports an error';
  if (/\bmax(?:imum)? session turns\b/i.test(message))
    return [...usage, { kind: 'result', outcome: 'turns', text: message }];
  const status = /"code":\s?(\d{3})\b/.exec(message)?.[1];
  const failure = failureEvent(message, {
    status: status === undefined ? undefined : Number(status),
    resetsAt: resetTime(message, now),
  });
  return [...usage, failure, { kind: 'result', outcome: 'error', text: failure.message }];
}

function usageOf(stats: Fields | undefined): readonly AgentEvent[] {
  const models = fieldsAt(stats, 'models');
  const names = Object.keys(models ?? {});
  if (names.length === 0) return stats === undefined ? [] : [turn(stats, undefined)];
  return names.map((name) => turn(fieldsAt(models, name), name));
}

/** The output leaves out what the model thought; the total has it. */
function turn(stats: Fields | undefined, model: string | undefined): AgentEvent {
  const inputTokens = numberAt(stats, 'input_tokens');
  const shown = numberAt(stats, 'output_tokens');
  const outputTokens = allOutput(shown, numberAt(stats, 'total_tokens'), inputTokens);
  const { spend } = cleanSpend({ inputTokens, outputTokens, cacheReadTokens: numberAt(stats, 'cached') });
  // Nothing costs nothing, whatever the price.
  return { kind: 'usage', scope: 'turn', model, spend: spend.totalTokens === 0 ? NOTHING_SPENT : spend };
}
