import { describe, expect, it } from 'vitest';
import { failureEvent, failureKind, retryEvent } from './provider-failure.js';

describe('what a provider refuses, and why', () => {
  it.each([
    ['Quota exceeded. Check your plan and billing details.', undefined, 'billing'],
    ['You exceeded your current quota', 429, 'billing'],
    ['Your credit balance is too low', 400, 'billing'],
    ["You've reached your usage limit for this period.", 429, 'usage-limit'],
    ['You have exhausted your daily quota on this model.', undefined, 'usage-limit'],
    ['prompt is too long: 205000 tokens > 200000 maximum', 400, 'context'],
    ['something', 401, 'auth'],
    ['something', 403, 'auth'],
    ['something', 402, 'billing'],
    ['something', 429, 'rate'],
    ['something', 503, 'overload'],
    ['Overloaded', undefined, 'overload'],
    ['something', 500, 'other'],
    ['something', undefined, 'other'],
  ] as const)('%s (%s) is %s', (message, status, kind) => expect(failureKind(message, status)).toBe(kind));

  it('what passes by itself is a limit, so that the run waits', () => {
    expect([429, 529, 401].map((status) => failureEvent('x', { status }).kind)).toEqual(['limit', 'limit', 'error']);
  });

  it('an attempt is counted from one', () => {
    expect(retryEvent('x', 0, 529)).toEqual({ kind: 'retry', error: 'overload', attempt: 1, message: 'x' });
  });
});
