import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import { countedUsage } from '../../test/support/recorded-stream.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import { geminiAgent } from './gemini.js';

const SESSION = 'f2333a1d-dbe6-4f50-9e9d-dbea395fdf5b';
const EARLIER = '2026-11-16T11:00:00.000Z';
const MIDDLE = '2026-11-16T12:00:00.000Z';
const LATER = '2026-11-16T13:00:00.000Z';
const message = (id: string, timestamp = LATER, more: object = {}) =>
  JSON.stringify({
    id,
    timestamp,
    type: 'gemini',
    tokens: { input: 5000, output: 57, cached: 3000, thoughts: 33, tool: 0, total: 5090 },
    model: 'gemini-2.5-pro',
    ...more,
  });
const recordOf = (environment: Record<string, string> = { HOME: '/h' }) =>
  geminiAgent.sidecar(SESSION, { environment });
const read = (lines: readonly string[], since = MIDDLE) => {
  const reader = recordOf()?.reader(since);
  return lines.flatMap((line) => reader?.(line) ?? []);
};

describe('the conversation that Gemini keeps', () => {
  it('tells each message once it is there, with what the model thought', () => {
    expect(read([message('m1')])).toEqual([
      {
        kind: 'usage',
        scope: 'request',
        id: 'm1',
        model: 'gemini-2.5-pro',
        spend: expect.objectContaining({ inputTokens: 5000, outputTokens: 90, cacheReadTokens: 3000 }),
      },
    ]);
  });

  it('a message that is written again counts once, one from before and those of the user not at all', () => {
    const lines = [
      message('m0', EARLIER),
      JSON.stringify({ $set: { messages: [JSON.parse(message('m0', EARLIER))] } }),
      message('u1', LATER, { type: 'user' }),
      message('m1'),
      message('m1', LATER, { toolCalls: [] }),
    ];
    expect(countedUsage(read(lines))).toEqual([5000, 90, undefined]);
  });

  it('is found by the beginning of the session, in the home that Gemini uses', () => {
    expect(recordOf()?.folder).toBe('/h/.gemini/tmp');
    expect(recordOf({ HOME: '/h', GEMINI_CLI_HOME: '/g' })?.folder).toBe('/g/.gemini/tmp');
    expect(recordOf({})).toBeUndefined();
    expect(geminiAgent.sidecar('../../x', { environment: { HOME: '/h' } })).toBeUndefined();
    expect(recordOf()?.matches('session-2026-11-16T11-32-f2333a1d.jsonl')).toBe(true);
    expect(recordOf()?.matches('session-2026-11-16T11-32-00000000.jsonl')).toBe(false);
  });

  it('any damage to it is read without an error', () => {
    fc.assert(
      fc.property(fc.array(mangledLine([message('m1')]), { minLength: 1, maxLength: 4 }), (lines) => {
        expect(read(lines).flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(200) },
    );
  });
});
