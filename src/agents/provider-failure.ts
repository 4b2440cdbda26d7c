import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { isNotReached } from '../model/not-reached.js';
import type { AgentErrorKind } from '../model/run-event.js';
import { plainWords } from './plain-words.js';

type Failure = AgentErrorKind | 'usage-limit';

/** In this order: a quota that is used up comes as a 429, too. Only ever applied to words of a CLI or a provider. */
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

/** Errors of a server or of a gateway before it, which pass by themselves. */
const SERVER_ERRORS: readonly number[] = [500, 502, 503, 504, 520, 521, 522, 523, 524, 529];

/** What a refusal of a model provider is, by the words of the CLI and the status if it tells one. */
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

/** A failure that the agent has given up at. What passes by itself is a limit: the run waits instead of failing. */
export function failureEvent(
  message: string,
  { status, resetsAt }: { readonly status?: number | undefined; readonly resetsAt?: string | undefined } = {},
): AgentEventOf<'error'> | AgentEventOf<'limit'> {
  const kind = failureKind(message, status);
  const words = plainWords(message);
  if (kind === 'usage-limit') return { kind: 'limit', limit: 'usage-limit', resetsAt, message: words };
  return errorEvent(kind, words);
}

/** An error whose kind is known. An overload and a rate limit pass by themselves: the run waits for them. */
export function errorEvent(error: AgentErrorKind, message: string): AgentEventOf<'error'> | AgentEventOf<'limit'> {
  return error === 'overload' || error === 'rate'
    ? { kind: 'limit', limit: 'overload', message }
    : { kind: 'error', error, message };
}

/** A failure after which the agent tries again by itself. */
export function retryEvent(message: string, attempt = 1, status?: number): AgentEvent {
  const kind = failureKind(message, status);
  const error = kind === 'usage-limit' ? 'rate' : kind;
  return { kind: 'retry', error, attempt: Math.max(1, attempt), message: plainWords(message) };
}
