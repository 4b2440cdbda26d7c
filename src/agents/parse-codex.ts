import type { AgentEvent } from '../model/agent-event.js';
import { codexSpend } from './codex-spend.js';
import { type Fields, fieldsAt, jsonObject, listAt, numberAt, textAt } from './json-fields.js';
import { plainWords } from './plain-words.js';
import { failureEvent, retryEvent } from './provider-failure.js';
import { resetTime } from './reset-time.js';
import { toolInput, toolOutput } from './tool-text.js';

/**
 * Reads one line of `codex exec --json`. The usage of a turn is the running total of its thread; it comes without the
 * thread's id. `now` is needed for a reset that is told as a time of day.
 */
export function parseCodex(line: string, now?: Date): readonly AgentEvent[] {
  const fields = jsonObject(line);
  switch (textAt(fields, 'type')) {
    case 'thread.started': {
      const id = textAt(fields, 'thread_id');
      return id === undefined || id === '' ? [] : [{ kind: 'session', id }];
    }
    case 'item.started':
      return fromStarted(fieldsAt(fields, 'item'));
    case 'item.completed':
      return fromCompleted(fieldsAt(fields, 'item'));
    case 'error':
      return fromError(textAt(fields, 'message') ?? 'Codex reports an error', now);
    case 'turn.completed':
      return [...turnUsage(fieldsAt(fields, 'usage')), { kind: 'result', outcome: 'success' }];
    case 'turn.failed':
      return [
        {
          kind: 'result',
          outcome: 'error',
          text: plainWords(textAt(fieldsAt(fields, 'error'), 'message') ?? 'the turn failed'),
        },
      ];
    default:
      return [];
  }
}

/** A thread that does not exist is told here only, and nothing on standard output. */
export function parseCodexError(line: string): readonly AgentEvent[] {
  return /^error:.*\bno rollout found for thread id\b/i.test(line)
    ? [{ kind: 'result', outcome: 'no-such-session', text: line }]
    : [];
}

function turnUsage(usage: Fields | undefined): readonly AgentEvent[] {
  return usage === undefined ? [] : [{ kind: 'usage', scope: 'session-total', spend: codexSpend(usage) }];
}

function fromStarted(item: Fields | undefined): readonly AgentEvent[] {
  const tool = toolOf(item);
  return tool === undefined ? [] : [{ kind: 'tool-call', id: textAt(item, 'id'), ...tool }];
}

/** An item of type `error` is a warning: the turn goes on, and may well succeed. */
function fromCompleted(item: Fields | undefined): readonly AgentEvent[] {
  const text = textAt(item, 'type') === 'agent_message' ? textAt(item, 'text') : undefined;
  if (text !== undefined) return text === '' ? [] : [{ kind: 'text', text }];
  const tool = toolOf(item);
  if (tool === undefined) return [];
  const id = textAt(item, 'id');
  const status = textAt(item, 'status');
  const failed = status === 'failed' || status === 'declined' || (numberAt(item, 'exit_code') ?? 0) !== 0;
  const output = toolOutput(textAt(item, 'aggregated_output'));
  const result: AgentEvent = { kind: 'tool-result', id, failed, output };
  return status === 'declined'
    ? [
        { kind: 'permission-denied', tool: tool.name, id, detail: tool.input },
        { ...result, denied: true },
      ]
    : [result];
}

function toolOf(item: Fields | undefined): { readonly name: string; readonly input: string | undefined } | undefined {
  switch (textAt(item, 'type')) {
    case 'command_execution':
      return { name: 'shell', input: toolInput(textAt(item, 'command')) };
    case 'file_change':
      return { name: 'apply_patch', input: toolInput(listAt(item, 'changes').map(changeText).join(', ')) };
    case 'mcp_tool_call':
      return {
        name: [textAt(item, 'server'), textAt(item, 'tool')].filter(Boolean).join('.') || 'a tool',
        input: toolInput(item?.['arguments']),
      };
    case 'web_search':
      return { name: 'web_search', input: toolInput(textAt(item, 'query')) };
    default:
      return undefined;
  }
}

/** "add src/a.ts" */
function changeText(change: Fields): string {
  return [textAt(change, 'kind') ?? textAt(fieldsAt(change, 'kind'), 'type'), textAt(change, 'path')]
    .filter(Boolean)
    .join(' ');
}

/** An error does not end the turn. Those that Codex gives up at are followed by `turn.failed` with the same words. */
function fromError(message: string, now: Date | undefined): readonly AgentEvent[] {
  const status = statusIn(message);
  const attempt = /^reconnecting\.{3} (\d{1,6})\/\d/i.exec(message)?.[1];
  if (attempt !== undefined) return [retryEvent(message, Number(attempt), status)];
  return [failureEvent(message, { status, resetsAt: resetTime(message, now) })];
}

function statusIn(message: string): number | undefined {
  const status = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
