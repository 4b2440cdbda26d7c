import type { AgentEvent } from '../model/agent-event.js';
import type { LineReader, ReaderSetting } from './adapter.js';
import { type Fields, fieldsAt, jsonObject, numberAt, textAt } from './json-fields.js';
import { namingDenied, readAlone } from './line-reader.js';
import { failureEvent, retryEvent } from './provider-failure.js';
import { toolInput, toolOutput } from './tool-text.js';

/**
 * Reads Copilot's JSON events. Its result says 0 even when it was interrupted, so that is remembered. The session is named
 * only by the result; one that is known before is told as soon as Copilot prints an event.
 */
export function createCopilotReader({ session }: Partial<ReaderSetting> = {}): LineReader {
  let known: string | undefined;
  let isAborted = false;
  let failedCall: Fields | undefined;
  const read = (fields: Fields | undefined): readonly AgentEvent[] => {
    const data = fieldsAt(fields, 'data');
    switch (textAt(fields, 'type')) {
      case 'model.call_failure':
        failedCall = data;
        return [];
      case 'assistant.turn_retry':
        return fromRetry(failedCall, data);
      case 'abort':
      case 'agent.interrupted':
        isAborted = true;
        return [];
      case 'result':
        return fromResult(fields, isAborted);
      default:
        return fromEvent(textAt(fields, 'type'), data);
    }
  };
  return namingDenied({
    read(line) {
      const fields = jsonObject(line);
      const told = textAt(fields, 'type') === 'result' ? textAt(fields, 'sessionId') : undefined;
      const id = fields === undefined ? known : (told ?? session ?? known);
      const isNew = id !== undefined && id !== '' && id !== known;
      known = id;
      return [...(isNew ? [{ kind: 'session' as const, id }] : []), ...read(fields)];
    },
    end: () => [],
  });
}

export function parseCopilot(line: string): readonly AgentEvent[] {
  return readAlone(createCopilotReader(), line);
}

/** A session that is not there is told here only. */
export function parseCopilotError(line: string): readonly AgentEvent[] {
  return /^(?:error: )?no session(?: or task|, task, or name) matched\b/i.test(line)
    ? [{ kind: 'result', outcome: 'no-such-session', text: line }]
    : [];
}

function fromEvent(type: string | undefined, data: Fields | undefined): readonly AgentEvent[] {
  switch (type) {
    case 'assistant.message': {
      const text = textAt(data, 'content') ?? '';
      // What a subagent says is told to the agent, not to us.
      return text === '' || textAt(data, 'parentToolCallId') !== undefined ? [] : [{ kind: 'text', text }];
    }
    case 'tool.execution_start': {
      const name = textAt(data, 'toolName') ?? 'a tool';
      return [{ kind: 'tool-call', id: textAt(data, 'toolCallId'), name, input: toolInput(data?.['arguments']) }];
    }
    // What it used is in the record of the session. One that is not there when Copilot ends was spent all the same.
    case 'model.call_final_result':
      return textAt(data, 'result') === 'success'
        ? [{ kind: 'usage', scope: 'request', spend: {}, unknown: true }]
        : [];
    case 'tool.execution_complete':
      return fromToolResult(data);
    case 'session.error': {
      const message = textAt(data, 'message') ?? 'Copilot reports an error';
      return [failureEvent(message, { status: numberAt(data, 'statusCode') })];
    }
    default:
      return [];
  }
}

function fromToolResult(data: Fields | undefined): readonly AgentEvent[] {
  const id = textAt(data, 'toolCallId');
  const error = fieldsAt(data, 'error');
  const exit = numberAt(fieldsAt(data, 'shellExecution'), 'exitCode') ?? 0;
  const output = textAt(fieldsAt(data, 'result'), 'content') ?? textAt(error, 'message');
  const failed = data?.['success'] !== true || exit !== 0;
  const result: AgentEvent = { kind: 'tool-result', id, failed, output: toolOutput(output) };
  if (!/denied|rejected/i.test(textAt(error, 'code') ?? '')) return [result];
  const tool = textAt(data, 'toolName') ?? 'a tool';
  return [
    { kind: 'permission-denied', tool, id, detail: output },
    { ...result, denied: true },
  ];
}

function fromRetry(failedCall: Fields | undefined, data: Fields | undefined): readonly AgentEvent[] {
  const message = textAt(failedCall, 'errorMessage') ?? textAt(data, 'reason') ?? 'Copilot tries again';
  const attempt = (numberAt(failedCall, 'retryAttempt') ?? 0) + 1;
  return [retryEvent(message, attempt, numberAt(failedCall, 'statusCode'))];
}

function fromResult(fields: Fields | undefined, isAborted: boolean): readonly AgentEvent[] {
  const outcome = isAborted ? 'interrupted' : numberAt(fields, 'exitCode') === 0 ? 'success' : 'error';
  return [{ kind: 'result', outcome }];
}
