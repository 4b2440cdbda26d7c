import type { AgentEvent } from '../model/agent-event.js';
import { cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { type Fields, fieldsAt, jsonObject, numberAt, textAt } from './json-fields.js';
import { failureEvent } from './provider-failure.js';
import { allOutput } from './request-log.js';
import { toolInput, toolOutput } from './tool-text.js';

/** Reads one line of `opencode run --format json`. It has no last word: its exit code tells how it went. */
export function parseOpencode(line: string): readonly AgentEvent[] {
  const fields = jsonObject(line);
  const part = fieldsAt(fields, 'part');
  switch (textAt(fields, 'type')) {
    case 'step_start':
      return session(fields);
    case 'text': {
      const text = textAt(part, 'text') ?? '';
      return text === '' ? [] : [{ kind: 'text', text }];
    }
    case 'tool_use':
      return fromTool(part);
    case 'step_finish':
      return fromStep(part);
    case 'error':
      // What was refused used nothing, and the steps before have told what they used.
      return [
        ...session(fields),
        { kind: 'usage', scope: 'turn', spend: NOTHING_SPENT },
        fromError(fieldsAt(fields, 'error')),
      ];
    default:
      return [];
  }
}

/** A session that is not there is told here only, and some versions then end as if all had gone well. */
export function parseOpencodeError(line: string): readonly AgentEvent[] {
  return /^(?:\w*error: |\s*message: ")?session not found\b/i.test(line)
    ? [{ kind: 'result', outcome: 'no-such-session', text: line }]
    : [];
}

function session(fields: Fields | undefined): readonly AgentEvent[] {
  const id = textAt(fields, 'sessionID');
  return id === undefined || id === '' ? [] : [{ kind: 'session', id }];
}

/** A tool is shown once it is done. */
function fromTool(part: Fields | undefined): readonly AgentEvent[] {
  const state = fieldsAt(part, 'state');
  const id = textAt(part, 'callID');
  const name = textAt(part, 'tool') ?? 'a tool';
  const error = textAt(state, 'error');
  const exit = numberAt(fieldsAt(state, 'metadata'), 'exit') ?? 0;
  const failed = textAt(state, 'status') === 'error' || exit !== 0;
  const output = toolOutput(textAt(state, 'output') ?? error);
  const call: AgentEvent = { kind: 'tool-call', id, name, input: toolInput(state?.['input']) };
  const result: AgentEvent = { kind: 'tool-result', id, failed, output };
  const isDenied = /permission (?:to use|denied|rejected)|prevents you from using/i.test(error ?? '');
  if (!isDenied) return [call, result];
  return [call, { kind: 'permission-denied', tool: name, id, detail: error }, { ...result, denied: true }];
}

function fromStep(part: Fields | undefined): readonly AgentEvent[] {
  const tokens = fieldsAt(part, 'tokens');
  if (tokens === undefined) return [];
  return [{ kind: 'usage', scope: 'request', id: textAt(part, 'id'), spend: spendOf(tokens, numberAt(part, 'cost')) }];
}

/** Its input leaves the cache out, and its output what the model thought; the total has everything. */
function spendOf(tokens: Fields, costUsd: number | undefined): Spend {
  const cache = fieldsAt(tokens, 'cache');
  const cacheReadTokens = numberAt(cache, 'read');
  const cacheWriteTokens = numberAt(cache, 'write');
  const fresh = numberAt(tokens, 'input');
  const inputTokens = fresh === undefined ? undefined : fresh + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const shown = numberAt(tokens, 'output');
  return cleanSpend({
    inputTokens,
    outputTokens: allOutput(shown, numberAt(tokens, 'total'), inputTokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: numberAt(tokens, 'reasoning'),
    costUsd,
  }).spend;
}

function fromError(error: Fields | undefined): AgentEvent {
  const data = fieldsAt(error, 'data');
  const name = textAt(error, 'name') ?? 'error';
  const message = textAt(data, 'message') ?? name;
  if (name === 'ContextOverflowError') return { kind: 'error', error: 'context', message };
  if (name === 'ProviderAuthError') return { kind: 'error', error: 'auth', message };
  return failureEvent(message, { status: numberAt(data, 'statusCode') });
}
