import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { providerError } from './provider-error.js';

const failed = (message: string, more: { statusCode?: number; cause?: unknown } = {}) =>
  new APICallError({ message, url: 'http://127.0.0.1:1', requestBodyValues: {}, ...more });

describe('a model call that failed', () => {
  it.each([500, 502, 503, 504, 529])('at a %i is waited for, and free', (statusCode) => {
    expect(providerError(failed('it broke', { statusCode }), 0)).toMatchObject({
      isFree: true,
      event: { kind: 'limit', limit: 'overload', message: 'it broke' },
    });
  });

  it('because nobody could be reached is waited for, and free', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(
      providerError(failed('Cannot connect to API: connect ECONNREFUSED 127.0.0.1:1', { cause }), 0),
    ).toMatchObject({
      isFree: true,
      event: { kind: 'limit', limit: 'overload' },
    });
  });

  it('by its own fault is an error', () => {
    expect(providerError(failed('no such model', { statusCode: 404 }), 0).event).toMatchObject({ kind: 'error' });
  });
});
