import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import { cleanSpend, isUnknown } from '../model/usage.js';
import type { AgentRequest, Invocation, ReviewAdapter } from './adapter.js';
import { invocationOf } from './known-agent.js';
import { type Fields, jsonObject, jsonText, INPUT_CHARACTERS, keepEnds, toolOutput } from './agent-events.js';
import { errorEvent } from './provider-failure.js';
import { momentOf } from './reset-time.js';

/** Any program. It gets the prompt, and can report by the protocol of docs/guide/own-agent.md. */
export const commandAgent: ReviewAdapter = {
  name: 'command',
  usage: 'live',
  context: 'reported',
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 2000,
  tellsResult: false,
  invocation,
  review: invocation,
  parse: parseCommand,
};

function invocation(agent: AgentSpec, request: Pick<AgentRequest, 'environment' | 'prompt' | 'session'>): Invocation {
  const call = invocationOf('', agent, request, agent.args);
  return { ...call, env: { ...call.env, ...ownVariables(agent, request) } };
}

/** The values of an outer run are not meant for this one, so they are removed where this run has none. */
export function ownVariables({ model }: AgentSpec, { session }: Pick<AgentRequest, 'session'>) {
  return { PAWL_SESSION: session, PAWL_MODEL: model };
}

/**
 * Reads one line of a program of the user: a message of the protocol, or plain output. A message that is not well formed
 * is plain output, so that it is shown.
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

/** Usage without a figure, or with an absurd one, is shown as output. */
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
  return {
    kind: 'tool-result',
    id: message.optionalText('id'),
    failed: message.optionalFlag('failed') ?? false,
    output: toolOutput(message.optionalText('output')),
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

/** The fields of a message. If one is not of the type that is asked for, the message is not sound. */
interface Message {
  /** False once a field that was asked for is missing or of another type. */
  readonly isSound: boolean;
  any(key: string): unknown;
  text(key: string): string;
  optionalText(key: string): string | undefined;
  optionalFlag(key: string): boolean | undefined;
  /** A number that is not negative. */
  optionalCount(key: string): number | undefined;
  /** A moment, as ISO 8601 text. One that cannot be read is absent: the rest of the message still counts. */
  optionalTime(key: string): string | undefined;
  oneOf<T extends string>(key: string, values: readonly [T, ...T[]]): T;
  optionalOneOf<T extends string>(key: string, values: readonly [T, ...T[]]): T | undefined;
}

function readMessage(fields: Fields): Message {
  let isSound = true;
  const any = (key: string): unknown => (Object.hasOwn(fields, key) ? (fields[key] ?? undefined) : undefined);
  const optional = <T>(key: string, convert: (value: unknown) => T | undefined): T | undefined => {
    const value = any(key);
    const converted = value === undefined ? undefined : convert(value);
    if (value !== undefined && converted === undefined) isSound = false;
    return converted;
  };
  const required = <T>(value: T | undefined, standIn: T): T => {
    if (value === undefined) isSound = false;
    return value ?? standIn;
  };
  const optionalText = (key: string) => optional(key, asText);
  const optionalOneOf = <T extends string>(key: string, values: readonly [T, ...T[]]) =>
    optional(key, (given) => values.find((value) => value === given));
  return {
    get isSound() {
      return isSound;
    },
    any,
    text: (key) => required(optionalText(key), ''),
    optionalText,
    optionalFlag: (key) => optional(key, (value) => (typeof value === 'boolean' ? value : undefined)),
    optionalCount: (key) => optional(key, asCount),
    optionalTime: (key) => momentOf(any(key)),
    oneOf: (key, values) => required(optionalOneOf(key, values), values[0]),
    optionalOneOf,
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
