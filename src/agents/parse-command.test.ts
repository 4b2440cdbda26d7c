import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { mangledLine } from '../../test/support/mangled-line.js';
import { begin, started, stateAfter, used } from '../../test/support/record.js';
import { faultsOf } from '../../test/support/well-formed-event.js';
import { totalSpend } from '../model/spend-account.js';
import { commandAgent } from './command.js';

const MESSAGES: readonly (readonly [string, object])[] = [
  ['{"pawl":"text","text":"Done."}', { kind: 'text', text: 'Done.' }],
  ['{"pawl":"session","id":"s-1"}', { kind: 'session', id: 's-1' }],
  [
    '{"pawl":"usage","model":"m","id":"r1","input_tokens":100,"output_tokens":10,"cache_read_tokens":60,"cache_write_tokens":20,"reasoning_tokens":4,"cost_usd":0.5}',
    {
      kind: 'usage',
      scope: 'request',
      id: 'r1',
      model: 'm',
      spend: {
        inputTokens: 100,
        outputTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 20,
        reasoningTokens: 4,
        totalTokens: 110,
        costUsd: 0.5,
      },
    },
  ],
  [
    '{"pawl":"usage","scope":"session-total","session":"s-1","cost_usd":1.5}',
    { kind: 'usage', scope: 'session-total', session: 's-1', spend: { costUsd: 1.5 } },
  ],
  [
    '{"pawl":"tool-call","id":"t1","name":"shell","input":{"command":"ls"}}',
    { kind: 'tool-call', id: 't1', name: 'shell', input: '{"command":"ls"}' },
  ],
  ['{"pawl":"tool-call","name":"shell","input":"ls"}', { kind: 'tool-call', name: 'shell', input: 'ls' }],
  [
    '{"pawl":"tool-result","id":"t1","failed":true,"output":"no"}',
    { kind: 'tool-result', id: 't1', failed: true, output: 'no' },
  ],
  ['{"pawl":"tool-result"}', { kind: 'tool-result', failed: false }],
  ['{"pawl":"context","used_tokens":5,"window_tokens":9}', { kind: 'context', usedTokens: 5, windowTokens: 9 }],
  [
    '{"pawl":"limit","limit":"usage-limit","resets_at":"2026-01-01T01:00:00+01:00","message":"later"}',
    { kind: 'limit', limit: 'usage-limit', resetsAt: '2026-01-01T00:00:00.000Z', message: 'later' },
  ],
  [
    '{"pawl":"limit","limit":"overload","resets_at":1767225600}',
    {
      kind: 'limit',
      limit: 'overload',
      resetsAt: '2026-01-01T00:00:00.000Z',
      message: 'the agent says that a limit is reached',
    },
  ],
  ['{"pawl":"error","kind":"auth","message":"no key"}', { kind: 'error', error: 'auth', message: 'no key' }],
  [
    '{"pawl":"permission-denied","tool":"shell","detail":"rm"}',
    { kind: 'permission-denied', tool: 'shell', detail: 'rm' },
  ],
  ['{"pawl":"result","outcome":"success","text":"ok"}', { kind: 'result', outcome: 'success', text: 'ok' }],
];

describe('the protocol', () => {
  it.each(MESSAGES)('%s', (line, event) => expect(commandAgent.parse(line)).toEqual([event]));

  it('a field that is null is one that is not there', () => {
    expect(commandAgent.parse('{"pawl":"result","outcome":"error","text":null}')).toEqual([
      { kind: 'result', outcome: 'error' },
    ]);
  });

  it('usage without an id counts each time, with the same id once', () => {
    const count = (...lines: readonly string[]) => {
      const reports = lines
        .flatMap((line) => commandAgent.parse(line))
        .flatMap((event) => (event.kind === 'usage' ? [event] : []));
      const drafts = reports.map(({ kind: _kind, spend, ...report }) => used(spend, { model: undefined, ...report }));
      return totalSpend(stateAfter(started(), begin(1), ...drafts).spend).inputTokens;
    };
    const nameless = '{"pawl":"usage","input_tokens":7,"output_tokens":1}';
    const named = '{"pawl":"usage","id":"r","input_tokens":7,"output_tokens":1}';
    expect(count(nameless, nameless)).toBe(14);
    expect(count(named, named)).toBe(7);
  });
});

describe('a limit whose reset time cannot be read', () => {
  it.each(['"soon"', '{}', '[]', 'true', '1e300', '""', 'null'])('%s is a limit all the same', (when) => {
    const line = `{"pawl":"limit","limit":"usage-limit","resets_at":${when},"message":"later"}`;
    expect(commandAgent.parse(line)).toEqual([{ kind: 'limit', limit: 'usage-limit', message: 'later' }]);
  });

  it('is told in milliseconds as well as in seconds', () => {
    const resetOf = (at: number) => commandAgent.parse(`{"pawl":"limit","limit":"overload","resets_at":${at}}`)[0];
    expect(resetOf(1_767_225_600_000)).toEqual(resetOf(1_767_225_600));
  });
});

describe('lines that are no messages', () => {
  it.each([
    '',
    'plain text',
    '{"text":"JSON of something else"}',
    '{"pawl":"telepathy","text":"x"}',
    '{"pawl":{"type":"text"},"text":"x"}',
    '{"pawl":"text"}',
    '{"pawl":"text","text":5}',
    '{"pawl":"session","id":""}',
    '{"pawl":"usage"}',
    '{"pawl":"usage","input_tokens":"many"}',
    '{"pawl":"usage","input_tokens":-1}',
    '{"pawl":"usage","input_tokens":1e15}',
    '{"pawl":"usage","input_tokens":1,"scope":"forever"}',
    '{"pawl":"context"}',
    '{"pawl":"tool-result","failed":"yes"}',
    '{"pawl":"limit","limit":"patience"}',
    '{"pawl":"error","kind":"mood","message":"x"}',
    '{"pawl":"result","outcome":"maybe"}',
    '{"pawl":"text","text":"cut o',
  ])('%j is shown as it is', (line) => expect(commandAgent.parse(line)).toEqual([{ kind: 'output', text: line }]));

  it('no line whatever is an error, and each gives exactly one whole event', () => {
    const lines = MESSAGES.map(([line]) => line);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), mangledLine(lines)), (line) => {
        const events = commandAgent.parse(line);
        expect(events).toHaveLength(1);
        expect(events.flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(1000) },
    );
  });
});

it('a limit without its kind is a usage limit, and not a failure', () => {
  expect(commandAgent.parse('{"pawl":"limit","message":"come back later"}')).toMatchObject([
    { kind: 'limit', limit: 'usage-limit', message: 'come back later' },
  ]);
});

it.each(['overload', 'rate'])('an error of the kind %s is a limit to wait for, and not a failure', (kind) => {
  const line = JSON.stringify({ pawl: 'error', kind, message: '529 overloaded_error' });
  expect(commandAgent.parse(line)).toEqual([{ kind: 'limit', limit: 'overload', message: '529 overloaded_error' }]);
});
