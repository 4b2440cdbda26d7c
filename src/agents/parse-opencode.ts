import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { cleanSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import type { LineReader } from './adapter.js';
import { type Fields, fieldsAt, jsonObject, numberAt, textAt } from './json-fields.js';
import { failureEvent } from './provider-failure.js';
import { allOutput } from './request-log.js';
import { toolInput, toolOutput } from './tool-text.js';

/** Why a last step is no end: its answer was cut off. */
const CUT_OFF: Readonly<Record<string, string>> = {
  length: 'the answer was cut off: it reached the most that the model may put out',
  'content-filter': 'the answer was cut off by a filter of the provider',
};

/**
 * Reads the events of `opencode run --format json`. It has no last word: its exit code tells how it went, and its last step
 * whether the answer is whole. What a step used is told when its tools are done; one that was not was spent all the same.
 */
export function createOpencodeReader(): LineReader {
  let isStepOpen = false;
  let reason: string | undefined;
  return {
    read(line) {
      const fields = jsonObject(line);
      const type = textAt(fields, 'type');
      if (type === 'step_start' || type === 'step_finish') reason = textAt(fieldsAt(fields, 'part'), 'reason');
      // After a step with tools comes another one, which is shown late.
      if (type === 'step_start' || type === 'step_finish')
        isStepOpen = type === 'step_start' || reason === 'tool-calls';
      if (type === 'error') isStepOpen = false;
      return eventsOf(type, fields);
    },
    end() {
      const message = CUT_OFF[reason ?? ''];
      return [
        ...(isStepOpen ? [{ kind: 'usage', scope: 'request', spend: {}, unknown: true } as const] : []),
        ...(message === undefined
          ? []
          : [
              { kind: 'error', error: 'other', message } as const,
              { kind: 'result', outcome: 'error', text: message } as const,
            ]),
      ];
    },
  };
}

export function parseOpencode(line: string): readonly AgentEvent[] {
  return createOpencodeReader().read(line);
}

function eventsOf(type: string | undefined, fields: Fields | undefined): readonly AgentEvent[] {
  const part = fieldsAt(fields, 'part');
  switch (type) {
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
  const call: AgentEventOf<'tool-call'> = { kind: 'tool-call', id, name, input: toolInput(state?.['input']) };
  const result: AgentEvent = { kind: 'tool-result', id, failed, output };
  const isDenied = /permission (?:to use|denied|rejected)|prevents you from using/i.test(error ?? '');
  if (!isDenied) return [call, result];
  return [call, { kind: 'permission-denied', tool: name, id, detail: call.input }, { ...result, denied: true }];
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
