import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend, type Spend } from '../model/usage.js';
import type { LineReader } from './adapter.js';
import { type Fields, fieldsAt, jsonObject, listAt, numberAt, textAt } from './json-fields.js';
import { readAlone } from './line-reader.js';
import { failureEvent, failureKind, retryEvent } from './provider-failure.js';
import { toolInput, toolOutput } from './tool-text.js';

/**
 * Reads pi's JSON events. Its exit code is always 0, so how it went is told by its last message. A message that failed
 * may be followed by another try, which is only told afterwards: until then the failure is held back.
 */
export function createPiReader(): LineReader {
  let failure: string | undefined;
  const giveUp = (): readonly AgentEvent[] => {
    const message = failure;
    failure = undefined;
    if (message === undefined) return [];
    const event = failureEvent(message, { status: statusIn(message) });
    return [event, { kind: 'result', outcome: 'error', text: event.message }];
  };
  const tryAgain = (attempt: number): readonly AgentEvent[] => {
    const message = failure;
    failure = undefined;
    return message === undefined ? [] : [retryEvent(message, attempt, statusIn(message))];
  };
  return {
    read(line) {
      const fields = jsonObject(line);
      switch (textAt(fields, 'type')) {
        case 'message_end': {
          const message = fieldsAt(fields, 'message');
          failure = failureOf(message);
          // A login that is refused stays refused.
          const isRefused = failure !== undefined && failureKind(failure, statusIn(failure)) === 'auth';
          return isRefused ? [...fromMessage(message), ...giveUp()] : fromMessage(message);
        }
        case 'agent_end':
          return failure === undefined ? fromEnd(fields) : [];
        case 'auto_retry_start':
          return tryAgain(numberAt(fields, 'attempt') ?? 1);
        case 'auto_retry_end':
          return fields?.['success'] === false ? giveUp() : [];
        case 'agent_start':
          return tryAgain(1);
        default:
          return fromOther(fields);
      }
    },
    end: giveUp,
  };
}

export function parsePi(line: string): readonly AgentEvent[] {
  return readAlone(createPiReader(), line);
}

/** A session that is not there is told here only. */
export function parsePiError(line: string): readonly AgentEvent[] {
  return /^(?:error: )?no session found matching\b/i.test(line)
    ? [{ kind: 'result', outcome: 'no-such-session', text: line }]
    : [];
}

function fromOther(fields: Fields | undefined): readonly AgentEvent[] {
  switch (textAt(fields, 'type')) {
    case 'session': {
      const id = textAt(fields, 'id');
      return id === undefined || id === '' ? [] : [{ kind: 'session', id }];
    }
    case 'message_update':
      return underWay(fieldsAt(fields, 'message'));
    case 'tool_execution_start': {
      const name = textAt(fields, 'toolName') ?? 'a tool';
      return [{ kind: 'tool-call', id: textAt(fields, 'toolCallId'), name, input: toolInput(fields?.['args']) }];
    }
    case 'tool_execution_end': {
      const output = textIn(fieldsAt(fields, 'result'));
      const failed = fields?.['isError'] === true;
      return [{ kind: 'tool-result', id: textAt(fields, 'toolCallId'), failed, output: toolOutput(output) }];
    }
    default:
      return [];
  }
}

/** The last message of a run that went well; one that was interrupted is no success. */
function fromEnd(fields: Fields | undefined): readonly AgentEvent[] {
  const last = listAt(fields, 'messages').at(-1);
  if (textAt(last, 'role') !== 'assistant' || failureOf(last) !== undefined) return [];
  const text = textIn(last) || undefined;
  return [{ kind: 'result', outcome: textAt(last, 'stopReason') === 'aborted' ? 'interrupted' : 'success', text }];
}

/** The prompt and the results of tools come as messages, too. */
function fromMessage(message: Fields | undefined): readonly AgentEvent[] {
  if (textAt(message, 'role') !== 'assistant') return [];
  const texts = listAt(message, 'content').flatMap((part): readonly AgentEvent[] => {
    const text = textAt(part, 'type') === 'text' ? (textAt(part, 'text') ?? '') : '';
    return text === '' ? [] : [{ kind: 'text', text }];
  });
  return [...texts, ...usageOf(message)];
}

/** An answer that breaks off has used its input: a later report under the same id takes its place. */
function underWay(message: Fields | undefined): readonly AgentEvent[] {
  return textAt(message, 'role') === 'assistant' && textAt(message, 'responseId') !== undefined ? usageOf(message) : [];
}

function usageOf(message: Fields | undefined): readonly AgentEvent[] {
  const usage = fieldsAt(message, 'usage');
  if (usage === undefined) return [];
  const [id, model] = [textAt(message, 'responseId'), textAt(message, 'model')];
  return [{ kind: 'usage', scope: 'request', id, model, spend: spendOf(usage) }];
}

function failureOf(message: Fields | undefined): string | undefined {
  if (textAt(message, 'role') !== 'assistant' || textAt(message, 'stopReason') !== 'error') return undefined;
  return textAt(message, 'errorMessage') ?? 'pi reports an error';
}

function textIn(message: Fields | undefined): string {
  return listAt(message, 'content')
    .map((part) => textAt(part, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** Its input leaves the cache out. */
function spendOf(usage: Fields): Spend {
  const cacheReadTokens = numberAt(usage, 'cacheRead');
  const cacheWriteTokens = numberAt(usage, 'cacheWrite');
  const fresh = numberAt(usage, 'input');
  return cleanSpend({
    inputTokens: fresh === undefined ? undefined : fresh + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: numberAt(usage, 'output'),
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: numberAt(fieldsAt(usage, 'cost'), 'total'),
  }).spend;
}

function statusIn(message: string): number | undefined {
  const status = /^(\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
