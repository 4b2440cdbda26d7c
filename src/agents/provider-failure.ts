import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { isNotReached } from '../model/not-reached.js';
import type { AgentErrorKind } from '../model/run-event.js';
import { type Fields, fieldsAt, jsonObject, textAt } from './agent-events.js';

type Failure = AgentErrorKind | 'usage-limit';

/** In this order: a quota that is used up also has status 429. Only for the words of a CLI or a provider. */
const BY_WORDS: readonly (readonly [Failure, RegExp])[] = [
  ['billing', /insufficient_quota|quota exceeded\.|exceeded your (?:current )?quota|credit balance|payment required/i],
  [
    'usage-limit',
    /usage limit|hit your (?:\w+ )?limit|exhausted your (?:\w+ )*(?:quota|capacity)|usage_limit_reached/i,
  ],
  [
    'context',
    /context_length_exceeded|prompt is too long|prompt as too long|context window|context length|maximum context/i,
  ],
  ['auth', /\bunauthorized\b|invalid (?:x-)?api.?key|incorrect api key|authentication failed|not logged in/i],
  ['overload', /overloaded|at capacity|\bcapacity (?:is )?unavailable/i],
];

const BY_STATUS: Readonly<Record<number, Failure>> = {
  401: 'auth',
  402: 'billing',
  403: 'auth',
  429: 'rate',
};

/** Errors of a server or its gateway. They go away after a while. */
const SERVER_ERRORS: readonly number[] = [500, 502, 503, 504, 520, 521, 522, 523, 524, 529];

/** What a refusal of a model provider is, from the words of the CLI and the status, if there is one. */
export function failureKind(message: string, status = statusIn(message)): Failure {
  const worded = BY_WORDS.find(([, pattern]) => pattern.test(message))?.[0];
  if (worded !== undefined) return worded;
  if (status === undefined) return isNotReached(message) ? 'overload' : 'other';
  return SERVER_ERRORS.includes(status) ? 'overload' : (BY_STATUS[status] ?? 'other');
}

function statusIn(message: string): number | undefined {
  const status = /\bHTTP (\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** A failure after which the agent gave up. One that goes away after a while is a limit: the run waits instead of failing. */
export function failureEvent(
  message: string,
  { status, resetsAt }: { readonly status?: number | undefined; readonly resetsAt?: string | undefined } = {},
): AgentEventOf<'error'> | AgentEventOf<'limit'> {
  const kind = failureKind(message, status);
  const words = plainWords(message);
  if (kind === 'usage-limit') return { kind: 'limit', limit: 'usage-limit', resetsAt, message: words };
  return errorEvent(kind, words);
}

/** An error of a known kind. An overload and a rate limit go away after a while: the run waits. */
export function errorEvent(error: AgentErrorKind, message: string): AgentEventOf<'error'> | AgentEventOf<'limit'> {
  return error === 'overload' || error === 'rate'
    ? { kind: 'limit', limit: 'overload', message }
    : { kind: 'error', error, message };
}

/** A failure after which the agent retries. */
export function retryEvent(message: string, attempt = 1, status?: number): AgentEvent {
  const kind = failureKind(message, status);
  const error = kind === 'usage-limit' ? 'rate' : kind;
  return { kind: 'retry', error, attempt: Math.max(1, attempt), message: plainWords(message) };
}

/** Providers have wrapped their reason in JSON in JSON in JSON. */
const MOST_LAYERS = 4;

/** A message of a CLI or a provider. JSON in it is replaced by the reason in the JSON. */
export function plainWords(message: string, layers = MOST_LAYERS): string {
  const start = message.search(/[[{]\s*[{"]/);
  if (start < 0 || layers === 0) return message;
  const brace = message.lastIndexOf('}');
  const end = message[start] === '[' ? message.indexOf(']', brace) : brace;
  const json = end > start ? message.slice(start, end + 1) : message.slice(start);
  const reason = reasonIn(json);
  const words = [message.slice(0, start), reason === undefined ? '' : plainWords(reason, layers - 1)];
  const rest = end > start ? message.slice(end + 1) : '';
  const plain = `${words.join('')}${rest}`.replace(/[:\s]+(?=\]?$)/, '').trim();
  return plain === '' ? 'no reason given' : plain;
}

function reasonIn(json: string): string | undefined {
  const fields = jsonObject(json);
  return fields === undefined ? cutOffReason(json) : reasonOf(fields);
}

function reasonOf(fields: Fields): string | undefined {
  const error = fieldsAt(fields, 'error');
  return (
    (error === undefined ? undefined : reasonOf(error)) ??
    ['message', 'error', 'detail', 'type', 'status', 'code'].map((key) => textAt(fields, key)).find(Boolean)
  );
}

/** The message may be whole although the JSON is cut off. */
function cutOffReason(json: string): string | undefined {
  const quoted = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(json)?.[1];
  try {
    return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
  } catch {
    return undefined;
  }
}
