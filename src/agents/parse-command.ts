import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { cleanSpend, isUnknown } from '../model/usage.js';
import { type Fields, jsonObject, jsonText } from './json-fields.js';
import { keepEnds } from './keep-ends.js';
import { type Message, readMessage } from './message-fields.js';
import { errorEvent } from './provider-failure.js';

const INPUT_CHARACTERS = 2000;
const OUTPUT_CHARACTERS = 200_000;

/**
 * Reads one line of an agent of the user's own: a message of the protocol, or plain output. A message that is not well
 * formed is plain output, too: nothing is lost in silence.
 */
export function parseCommand(line: string): readonly AgentEvent[] {
  const fields = jsonObject(line);
  const event = fields === undefined || !Object.hasOwn(fields, 'pawl') ? undefined : eventOf(fields);
  return [event ?? { kind: 'output', text: line }];
}

function eventOf(fields: Fields): AgentEvent | undefined {
  const message = readMessage(fields);
  const event = read(message, fields['pawl']);
  return message.isSound ? event : undefined;
}

function read(message: Message, type: unknown): AgentEvent | undefined {
  switch (type) {
    case 'text':
      return { kind: 'text', text: message.text('text') };
    case 'usage':
      return usage(message);
    case 'session':
      return session(message);
    case 'tool-call':
      return toolCall(message);
    case 'tool-result':
      return toolResult(message);
    case 'context':
      return context(message);
    case 'limit':
      return limit(message);
    case 'error':
      return errorEvent(
        message.oneOf('kind', ['auth', 'billing', 'overload', 'rate', 'context', 'other']),
        message.text('message'),
      );
    case 'permission-denied':
      return { kind: 'permission-denied', tool: message.text('tool'), detail: message.optionalText('detail') };
    case 'result':
      return {
        kind: 'result',
        outcome: message.oneOf('outcome', ['success', 'error']),
        text: message.optionalText('text'),
      };
    default:
      return undefined;
  }
}

function session(message: Message): AgentEventOf<'session'> | undefined {
  const id = message.text('id');
  return id === '' ? undefined : { kind: 'session', id };
}

function context(message: Message): AgentEventOf<'context'> | undefined {
  const usedTokens = message.optionalCount('used_tokens');
  const windowTokens = message.optionalCount('window_tokens');
  return usedTokens === undefined && windowTokens === undefined
    ? undefined
    : { kind: 'context', usedTokens, windowTokens };
}

/** Usage without a figure, or with an absurd one, is no usage: it shows as output. */
function usage(message: Message): AgentEventOf<'usage'> | undefined {
  const { spend, rejected } = cleanSpend({
    inputTokens: message.optionalCount('input_tokens'),
    outputTokens: message.optionalCount('output_tokens'),
    cacheReadTokens: message.optionalCount('cache_read_tokens'),
    cacheWriteTokens: message.optionalCount('cache_write_tokens'),
    reasoningTokens: message.optionalCount('reasoning_tokens'),
    costUsd: message.optionalCount('cost_usd'),
  });
  if (rejected.length > 0 || isUnknown(spend)) return undefined;
  return {
    kind: 'usage',
    scope: message.optionalOneOf('scope', ['request', 'turn', 'session-total']) ?? 'request',
    id: message.optionalText('id'),
    session: message.optionalText('session'),
    model: message.optionalText('model'),
    spend,
  };
}

function toolCall(message: Message): AgentEventOf<'tool-call'> {
  const input = message.any('input');
  const text = typeof input === 'string' ? input : input === undefined ? undefined : jsonText(input);
  return {
    kind: 'tool-call',
    id: message.optionalText('id'),
    name: message.text('name'),
    input: text === undefined ? undefined : keepEnds(text, INPUT_CHARACTERS),
  };
}

function toolResult(message: Message): AgentEventOf<'tool-result'> {
  const output = message.optionalText('output');
  return {
    kind: 'tool-result',
    id: message.optionalText('id'),
    failed: message.optionalFlag('failed') ?? false,
    output: output === undefined ? undefined : keepEnds(output, OUTPUT_CHARACTERS),
  };
}

function limit(message: Message): AgentEventOf<'limit'> {
  return {
    kind: 'limit',
    limit: message.optionalOneOf('limit', ['usage-limit', 'overload']) ?? 'usage-limit',
    resetsAt: message.optionalTime('resets_at'),
    message: message.optionalText('message') ?? 'the agent says that a limit is reached',
  };
}
