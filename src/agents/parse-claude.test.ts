import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { begin, started, stateAfter, used } from '../../test/support/record.js';
import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { totalSpend } from '../model/spend-account.js';
import { parseClaude } from './parse-claude.js';

const folder = new URL('../../test/fixtures/streams/claude/', import.meta.url);
const recordings = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace('.jsonl', ''));
const linesOf = (name: string) => readFileSync(new URL(`${name}.jsonl`, folder), 'utf8').split('\n');
const eventsOf = (name: string) => linesOf(name).flatMap(parseClaude);
const of = <K extends AgentEvent['kind']>(events: readonly AgentEvent[], kind: K) =>
  events.filter((event): event is AgentEventOf<K> => event.kind === kind);

/** What the fold makes of all the reports together: input, output, and the agent's own cost of the turns. */
function counted(events: readonly AgentEvent[]) {
  const reports = of(events, 'usage').map(({ kind: _kind, spend, ...report }) => used(spend, report));
  const { inputTokens, outputTokens } = totalSpend(stateAfter(started(), begin(1), ...reports).spend);
  const cost = of(events, 'usage').reduce((sum, { spend }) => sum + (spend.costUsd ?? 0), 0);
  return [inputTokens, outputTokens, Math.round(cost * 1e6) / 1e6];
}

/** Everything that matters of a recording, in one line each. */
function digest(name: string) {
  const events = eventsOf(name);
  return {
    tokensAndCost: counted(events),
    said: of(events, 'text').map(({ text }) => text),
    tools: of(events, 'tool-call').map((call) => call.name),
    results: of(events, 'result').map(({ outcome }) => outcome),
    errors: of(events, 'error').map(({ error }) => error),
    limits: of(events, 'limit').map(({ limit, resetsAt }) => `${limit} ${resetsAt ?? 'unknown'}`),
    retries: of(events, 'retry')
      .map(({ error }) => error)
      .join(' '),
    denied: of(events, 'permission-denied').map(({ tool }) => tool),
    sessions: new Set(of(events, 'session').map(({ id }) => id)).size,
  };
}

const CREATED = ["I'll create the file.", 'Done: hello.txt created. <promise>COMPLETE</promise>'];
const QUIET = { errors: [], limits: [], retries: '', denied: [], sessions: 1 };
const WORKED = {
  ...QUIET,
  tokensAndCost: [13_400, 80, 0.01185],
  said: CREATED,
  tools: ['Write'],
  results: ['success'],
};

describe('recordings of Claude Code', () => {
  it.each([
    ['success', WORKED],
    ['success-partial', WORKED],
    ['success-oauth', WORKED],
    ['permission-denied', { ...WORKED, denied: ['Write'] }],
    ['resume-1', { ...WORKED, said: ['I will create the file.', 'Done. <promise>COMPLETE</promise>'] }],
    [
      'resume-2',
      {
        ...QUIET,
        tokensAndCost: [8400, 20, 0.003975],
        said: ['Second turn in the same session.'],
        tools: [],
        results: ['success'],
      },
    ],
    [
      'resume-badid',
      { ...QUIET, sessions: 0, tokensAndCost: [0, 0, 0], said: [], tools: [], results: ['no-such-session'] },
    ],
    [
      'auth-401',
      {
        ...QUIET,
        tokensAndCost: [0, 0, 0],
        said: [],
        tools: [],
        results: [],
        retries: Array(8).fill('auth').join(' '),
      },
    ],
    [
      'usage-limit',
      { ...QUIET, tokensAndCost: [0, 0, 0], said: [], tools: [], results: ['error'], limits: ['usage-limit unknown'] },
    ],
    [
      'usage-limit-oauth',
      {
        ...QUIET,
        tokensAndCost: [0, 0, 0],
        said: [],
        tools: [],
        results: ['error'],
        limits: ['usage-limit 2026-11-15T06:59:31.000Z', 'usage-limit unknown'],
      },
    ],
    ['context', { ...QUIET, tokensAndCost: [0, 0, 0], said: [], tools: [], results: ['error'], errors: ['context'] }],
    [
      'overloaded-recover',
      {
        ...WORKED,
        retries: 'overload overload',
        said: ['I will create the file.', 'Done. <promise>COMPLETE</promise>'],
      },
    ],
    [
      'ratelimit-recover',
      { ...WORKED, retries: 'rate rate', said: ['I will create the file.', 'Done. <promise>COMPLETE</promise>'] },
    ],
    [
      'overloaded-forever',
      {
        ...QUIET,
        tokensAndCost: [0, 0, 0],
        said: [],
        tools: [],
        results: ['error'],
        limits: ['overload unknown'],
        retries: Array(10).fill('overload').join(' '),
      },
    ],
    [
      'maxbudget',
      {
        ...QUIET,
        tokensAndCost: [24_800, 200, 0.024],
        said: Array(4).fill('again'),
        tools: Array(4).fill('Bash'),
        results: ['budget'],
      },
    ],
  ])('%s', (name, expected) => expect(digest(name)).toEqual(expected));

  it('are all read', () => {
    for (const name of recordings) expect(eventsOf(name).length).toBeGreaterThan(0);
  });

  it('that were interrupted or killed say so, or say nothing', () => {
    expect(digest('hang-stream-SIGINT-group').results).toEqual(['interrupted']);
    expect(digest('hang-tool-SIGTERM-group').results).toEqual([]);
    expect(digest('maxturns').results).toEqual(['turns']);
  });

  it('name their tool calls, and answer them by id', () => {
    const events = eventsOf('success');
    expect(of(events, 'tool-result').map(({ id, failed }) => [id, failed])).toEqual([
      [of(events, 'tool-call')[0]?.id, false],
    ]);
    expect(of(eventsOf('permission-denied'), 'tool-result')[0]?.failed).toBe(true);
  });

  it('tell the context window', () => {
    expect(of(eventsOf('success'), 'context')).toEqual([{ kind: 'context', windowTokens: 200_000 }]);
  });
});

describe('lines that nobody has seen yet', () => {
  it.each([
    '',
    'plain text',
    '{',
    '[]',
    'null',
    '{"type":"assistant"}',
    '{"type":"result"}',
    '{"type":"new_kind","x":1}',
    '{"type":"user","message":{"content":"text"}}',
  ])('%j is survived', (line) => expect(() => parseClaude(line)).not.toThrow());

  it('any change of a recording is read without an error and without absurd figures', () => {
    const lines = recordings.flatMap(linesOf).filter((line) => line !== '');
    fc.assert(
      fc.property(
        fc.constantFrom(...lines),
        fc.nat(),
        fc.nat(),
        fc.constantFrom('', '-1', 'null', '1e308', '"x"', '{}', '[]'),
        (line, from, length, put) => {
          const start = from % line.length;
          const changed = line.slice(0, start) + put + line.slice(start + (length % 40));
          for (const event of parseClaude(changed)) {
            if (event.kind === 'usage')
              for (const count of Object.values(event.spend))
                expect((count ?? 0) >= 0 && (count ?? 0) <= 4e12).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('fields of another type are not believed', () => {
    const events = parseClaude(
      '{"type":"assistant","message":{"id":"m","model":7,"content":[{"type":"text","text":5},{"type":"tool_use"}],"usage":{"input_tokens":"9","output_tokens":-1}}}',
    );
    expect(events).toEqual([
      { kind: 'tool-call', id: undefined, name: 'a tool', input: '{}' },
      { kind: 'usage', scope: 'request', id: 'm', model: undefined, spend: {} },
    ]);
  });
});
