import type { AgentEvent, AgentEventOf } from '../../model/agent-event.js';
import { cleanSpend, type Spend } from '../../model/usage.js';
import {
  deniedEvents,
  sessionEvent,
  textEvent,
  type Fields,
  fieldsAt,
  jsonObject,
  listAt,
  numberAt,
  textAt,
  toolInput,
  toolOutput,
} from '../agent-events.js';
import { failureEvent, plainWords, retryEvent } from '../provider-failure.js';
import { resetTime } from '../reset-time.js';

/**
 * Reads one line of `codex exec --json`. The usage of a turn is the running total of its thread; it comes without the
 * thread's id. `now` is needed for a reset that has only a time of day.
 */
export function parseCodex(line: string, now?: Date): readonly AgentEvent[] {
  const fields = jsonObject(line);
  switch (textAt(fields, 'type')) {
    case 'thread.started':
      return sessionEvent(textAt(fields, 'thread_id'));
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

function turnUsage(usage: Fields | undefined): readonly AgentEvent[] {
  return usage === undefined ? [] : [{ kind: 'usage', scope: 'session-total', spend: codexSpend(usage) }];
}

/** Its input includes the cache, as ours does. Its own total is at times an estimate of something else. */
export function codexSpend(usage: Fields | undefined): Spend {
  return cleanSpend({
    inputTokens: numberAt(usage, 'input_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    cacheReadTokens: numberAt(usage, 'cached_input_tokens'),
    cacheWriteTokens: numberAt(usage, 'cache_write_input_tokens'),
    reasoningTokens: numberAt(usage, 'reasoning_output_tokens'),
  }).spend;
}

function fromStarted(item: Fields | undefined): readonly AgentEvent[] {
  const tool = toolOf(item);
  return tool === undefined ? [] : [{ kind: 'tool-call', id: textAt(item, 'id'), ...tool }];
}

/** An item of type `error` is a warning: the turn continues and can succeed. */
function fromCompleted(item: Fields | undefined): readonly AgentEvent[] {
  const text = textAt(item, 'type') === 'agent_message' ? textAt(item, 'text') : undefined;
  if (text !== undefined) return textEvent(text);
  const tool = toolOf(item);
  if (tool === undefined) return [];
  const id = textAt(item, 'id');
  const status = textAt(item, 'status');
  const failed = status === 'failed' || status === 'declined' || (numberAt(item, 'exit_code') ?? 0) !== 0;
  const output = toolOutput(textAt(item, 'aggregated_output'));
  const result: AgentEventOf<'tool-result'> = { kind: 'tool-result', id, failed, output };
  return status === 'declined' ? deniedEvents(result, tool.name, tool.input) : [result];
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
