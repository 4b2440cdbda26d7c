import type { Refusal } from './refusal.js';
import type { Fault } from './step.js';

/** The refusal of a fault in the words of the Responses API; undefined for faults that begin an answer. */
export function responsesRefusalOf(fault: Fault, nowMs: number): Refusal | undefined {
  switch (fault) {
    case 'auth':
      return refusal(401, { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key' });
    case 'rate-limit':
      return refusal(429, { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached' });
    case 'rate-limit-with-delay':
      return refusal(429, { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached' }, 1);
    case 'overloaded':
      return refusal(529, { type: 'server_error', code: 'overloaded', message: 'Overloaded' });
    case 'usage-limit':
      return refusal(429, usageLimit(nowMs));
    case 'no-credit':
      return refusal(429, {
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your quota',
      });
    case 'context-too-long':
      return refusal(400, { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Too long' });
    case 'cut-off':
    case 'stream-error':
    case 'disconnect':
    case 'hang':
      return undefined;
    default:
      return fault satisfies never;
  }
}

/** A window of a subscription that opens again in an hour. */
function usageLimit(nowMs: number): Readonly<Record<string, unknown>> {
  const resetsAt = Math.floor(nowMs / 1000) + 3600;
  return { type: 'usage_limit_reached', message: 'Limit reached', plan_type: 'plus', resets_at: resetsAt };
}

function refusal(status: number, error: Readonly<Record<string, unknown>>, retryAfterSeconds?: number): Refusal {
  const headers: Refusal['headers'] =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status, headers, body: JSON.stringify({ error }) };
}
