import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { tries } from '../../../test/support/full-form.js';
import { mangledLine } from '../../../test/support/mangled-line.js';
import { countedUsage, eventsOf } from '../../../test/support/recorded-stream.js';
import { faultsOf } from '../../../test/support/well-formed-event.js';
import { codexRollout } from './rollout.js';

const THREAD = '01a1df39-d19f-78a0-ba82-97bb56078b87';
const EARLIER = '2026-11-15T12:00:00.000Z';
const LATER = '2026-11-15T12:41:10.934Z';
const tokens = (input: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: 3000,
  cache_write_input_tokens: 800,
  output_tokens: output,
  reasoning_output_tokens: 5,
  total_tokens: input + output,
});
const lineOf = (type: string, payload: object, timestamp = LATER) => JSON.stringify({ timestamp, type, payload });
const context = (model: string, at?: string) => lineOf('turn_context', { model }, at);
const recorded = (id: string, last: object, total: object, at?: string) =>
  lineOf('token_usage_record', { response_id: id, usage: last, thread_token_usage: total }, at);
const counted = (last: object, total: object, at?: string) =>
  lineOf(
    'event_msg',
    {
      type: 'token_count',
      info: { last_token_usage: last, total_token_usage: total, model_context_window: 258_400 },
    },
    at,
  );
const read = (lines: readonly string[], since = EARLIER) => {
  const reader = codexRollout(THREAD, { environment: { HOME: '/h' } })?.reader(since);
  return lines.flatMap((line) => reader?.(line) ?? []);
};
const requestsOf = (lines: readonly string[], since?: string) =>
  eventsOf(read(lines, since), 'usage').filter(({ scope }) => scope === 'request');
const placeOf = (environment: Record<string, string>) => codexRollout(THREAD, { environment })?.folder;

describe('where Codex keeps a thread', () => {
  it('its own folder for settings wins over the home', () => {
    expect(placeOf({ HOME: '/h', CODEX_HOME: '/c' })).toBe('/c/sessions');
    expect(placeOf({ HOME: '/h', CODEX_HOME: '' })).toBe('/h/.codex/sessions');
    expect(placeOf({})).toBeUndefined();
  });

  it('a file is its by the id at the end of the name', () => {
    const rollout = codexRollout(THREAD, { environment: { HOME: '/h' } });
    expect(rollout?.matches(`rollout-2026-11-15T12-41-10-${THREAD}.jsonl`)).toBe(true);
    expect(rollout?.matches('rollout-2026-11-15T12-41-10-01a1df39-d19f-78a0-ba82-000000000000.jsonl')).toBe(false);
    expect(rollout?.matches(`notes-${THREAD}.jsonl`)).toBe(false);
  });

  it('an id that would lead elsewhere is refused', () => {
    expect(codexRollout('../x', { environment: { HOME: '/h' } })).toBeUndefined();
  });
});

describe('what it tells', () => {
  const TWO = [
    context('gpt-5.5'),
    recorded('r1', tokens(5000, 40), tokens(5000, 40)),
    counted(tokens(5000, 40), tokens(5000, 40)),
    recorded('r2', tokens(6000, 10), tokens(11_000, 50)),
  ];

  it('each request with its model, as soon as it is answered', () => {
    expect(requestsOf(TWO)).toEqual([
      {
        kind: 'usage',
        scope: 'request',
        id: 'r1',
        model: 'gpt-5.5',
        spend: {
          inputTokens: 5000,
          outputTokens: 40,
          cacheReadTokens: 3000,
          cacheWriteTokens: 800,
          reasoningTokens: 5,
          totalTokens: 5040,
        },
      },
      expect.objectContaining({ id: 'r2', model: 'gpt-5.5' }),
    ]);
    expect(countedUsage(requestsOf(TWO))).toEqual([11_000, 50, undefined]);
  });

  it('the total of the thread under its id', () => {
    const totals = eventsOf(read(TWO), 'usage').filter(({ scope }) => scope === 'session-total');
    expect(totals.map(({ session, spend }) => [session, spend.totalTokens])).toEqual([
      [THREAD, 5040],
      [THREAD, 11_050],
    ]);
  });

  it('the window, once', () => {
    const lines = [...TWO, counted(tokens(6000, 10), tokens(11_000, 50))];
    expect(eventsOf(read(lines), 'context')).toEqual([{ kind: 'context', windowTokens: 258_400 }]);
  });

  it('of older turns only what later ones need', () => {
    const lines = [
      context('gpt-5.5', EARLIER),
      recorded('r0', tokens(9, 9), tokens(9, 9), EARLIER),
      recorded('r1', tokens(5000, 40), tokens(5009, 49)),
    ];
    expect(requestsOf(lines, LATER).map(({ id, model }) => [id, model])).toEqual([['r1', 'gpt-5.5']]);
  });

  it('of a version without records the counts, and one that is told again is the same request', () => {
    const lines = [
      counted(tokens(5000, 40), tokens(5000, 40)),
      counted(tokens(5000, 40), tokens(5000, 40)),
      counted(tokens(6000, 10), tokens(11_000, 50)),
      // After a compaction the last usage is an estimate of the window, and the total is unchanged.
      counted({ input_tokens: 0, output_tokens: 0, total_tokens: 900 }, tokens(11_000, 50)),
    ];
    expect(countedUsage(requestsOf(lines))).toEqual([11_000, 50, undefined]);
  });

  it('no total of an overflow, which is the size of the window', () => {
    const full = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 258_400 };
    const usage = eventsOf(read([counted(full, full)]), 'usage');
    expect(usage.filter(({ scope }) => scope === 'session-total')).toEqual([]);
  });

  it('nothing since a time that cannot be read, and nothing of other lines', () => {
    expect(read(TWO, 'yesterday')).toEqual([]);
    expect(read(['', 'token_count', '{"token_count"', lineOf('response_item', { text: '"token_count"' })])).toEqual([]);
  });

  it('any damage is read without an error, and only into whole events', () => {
    fc.assert(
      fc.property(fc.array(mangledLine(TWO), { maxLength: 5 }), (lines) => {
        expect(read(lines).flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(1000) },
    );
  });
});
