import type { Fault } from './step.js';

/** An answer that is an error from the start. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The refusal of a fault; undefined for faults that begin an answer and break it off. */
export function refusalOf(fault: Fault, nowMs: number): Refusal | undefined {
  switch (fault) {
    case 'auth':
      return refusal(401, 'authentication_error', 'invalid x-api-key');
    case 'rate-limit':
      return refusal(429, 'rate_limit_error', 'This request would exceed your rate limit.');
    case 'rate-limit-with-delay':
      return refusal(429, 'rate_limit_error', 'This request would exceed your rate limit.', { 'retry-after': '1' });
    case 'overloaded':
      return refusal(529, 'overloaded_error', 'Overloaded');
    case 'usage-limit':
      return refusal(429, 'rate_limit_error', 'You have reached your usage limit.', usageLimitHeaders(nowMs));
    case 'no-credit':
      return refusal(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.');
    case 'context-too-long':
      return refusal(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
    case 'cut-off':
    case 'stream-error':
    case 'disconnect':
    case 'hang':
      return undefined;
    default:
      return fault satisfies never;
  }
}

function refusal(status: number, type: string, message: string, headers: Refusal['headers'] = {}): Refusal {
  return { status, headers, body: JSON.stringify({ type: 'error', error: { type, message } }) };
}

/** A window of a subscription that opens again in an hour. */
function usageLimitHeaders(nowMs: number): Refusal['headers'] {
  const resets = String(Math.floor(nowMs / 1000) + 3600);
  const unified = 'anthropic-ratelimit-unified';
  return {
    'retry-after': '3600',
    'x-should-retry': 'false',
    [`${unified}-status`]: 'rejected',
    [`${unified}-reset`]: resets,
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: 'rejected',
    [`${unified}-5h-reset`]: resets,
    [`${unified}-5h-utilization`]: '1.0',
    [`${unified}-overage-status`]: 'rejected',
  };
}
