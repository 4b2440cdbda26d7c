import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import type { AgentErrorKind } from '../model/run-event.js';

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
  503: 'overload',
  529: 'overload',
};

/** What a refusal of a model provider is, by the words of the CLI and the status if it tells one. */
export function failureKind(message: string, status?: number): Failure {
  const worded = BY_WORDS.find(([, pattern]) => pattern.test(message))?.[0];
  return worded ?? (status === undefined ? undefined : BY_STATUS[status]) ?? 'other';
}

/** A failure that the agent has given up at. What passes by itself is a limit: the run waits instead of failing. */
export function failureEvent(
  message: string,
  { status, resetsAt }: { readonly status?: number | undefined; readonly resetsAt?: string | undefined } = {},
): AgentEventOf<'error'> | AgentEventOf<'limit'> {
  const kind = failureKind(message, status);
  if (kind === 'usage-limit') return { kind: 'limit', limit: 'usage-limit', resetsAt, message };
  if (kind === 'overload' || kind === 'rate') return { kind: 'limit', limit: 'overload', message };
  return { kind: 'error', error: kind, message };
}

/** A failure after which the agent tries again by itself. */
export function retryEvent(message: string, attempt = 1, status?: number): AgentEvent {
  const kind = failureKind(message, status);
  const error = kind === 'usage-limit' ? 'rate' : kind;
  return { kind: 'retry', error, attempt: Math.max(1, attempt), message };
}
