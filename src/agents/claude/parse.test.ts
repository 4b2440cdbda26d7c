import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../test/support/full-form.js';
import { mangledLine } from '../../../test/support/mangled-line.js';
import { begin, end, started, stateAfter, used } from '../../../test/support/record.js';
import { faultsOf } from '../../../test/support/well-formed-event.js';
import type { AgentEvent, AgentEventOf } from '../../model/agent-event.js';
import { totalSpend } from '../../model/spend-account.js';
import { parseClaude } from './parse.js';

const folder = new URL('../../../test/fixtures/streams/claude/', import.meta.url);
const recordings = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace('.jsonl', ''));
const linesOf = (name: string) => readFileSync(new URL(`${name}.jsonl`, folder), 'utf8').split('\n');
const eventsOf = (name: string) => linesOf(name).flatMap(parseClaude);
const of = <K extends AgentEvent['kind']>(events: readonly AgentEvent[], kind: K) =>
  events.filter((event): event is AgentEventOf<K> => event.kind === kind);

/** What the fold makes of all the reports together: input, output, and the agent's own cost of the turns. */
function counted(events: readonly AgentEvent[]) {
  const reports = of(events, 'usage').map(({ kind: _kind, spend, ...report }) =>
    used(spend, { model: undefined, ...report }),
  );
  const { inputTokens, outputTokens } = totalSpend(stateAfter(started(), begin(1), ...reports, end(1)).spend);
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
  const TABLE = [
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
        // It was killed before it had told anything.
        tokensAndCost: [undefined, undefined, 0],
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
    [
      'maxturns',
      {
        ...QUIET,
        tokensAndCost: [18_600, 150, 0.018],
        said: Array(3).fill('again'),
        tools: Array(3).fill('Bash'),
        results: ['turns'],
      },
    ],
    ['bgtool', { ...WORKED, said: ['Starting a dev server.', 'Done. <promise>COMPLETE</promise>'], tools: ['Bash'] }],
    [
      'hang-stream-SIGINT-group',
      {
        ...QUIET,
        tokensAndCost: [12_400, 50, 0.006],
        said: ['I will create the file.', 'Working on'],
        tools: ['Write'],
        results: ['interrupted'],
      },
    ],
    [
      'hang-tool-SIGTERM-group',
      { ...QUIET, tokensAndCost: [6200, 1, 0], said: ['Running a long command.'], tools: ['Bash'], results: [] },
    ],
  ] as const;

  it.each(TABLE)('%s', (name, expected) => expect(digest(name)).toEqual(expected));

  it('are all in the table', () => expect(TABLE.map(([name]) => name).sort()).toEqual([...recordings].sort()));

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

describe('a result', () => {
  const line = (models: object) =>
    JSON.stringify({ type: 'result', subtype: 'success', model_usage_since_last_result: models });
  const usageOf = (models: object) => of(parseClaude(line(models)), 'usage')[0]?.spend;
  const used1 = { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4, costUSD: 5 };

  it('sums up its models, for their names are not those of the requests', () => {
    const request = {
      type: 'assistant',
      message: {
        id: 'm',
        model: 'claude-sonnet-4-5-20250929',
        usage: { input_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 4, output_tokens: 2 },
      },
    };
    const lines = [JSON.stringify(request), line({ 'claude-sonnet-4-5[1m]': used1 })];
    expect(counted(lines.flatMap(parseClaude))).toEqual([8, 2, 5]);
    expect(usageOf({ a: used1, b: used1 })).toMatchObject({ inputTokens: 16, outputTokens: 4, costUsd: 10 });
  });

  it('without any model is one that cost nothing, and that is known', () => {
    expect(usageOf({})).toMatchObject({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
  });

  it('does not believe a cost that Claude Code calls a guess', () => {
    expect(usageOf({ a: used1, b: { ...used1, costBasis: 'unknown' } })?.costUsd).toBeUndefined();
  });
});

describe('what tools print', () => {
  const resultLine = (content: unknown) =>
    JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] } });
  const outputOf = (content: unknown) => of(parseClaude(resultLine(content)), 'tool-result')[0]?.output ?? '';

  it('a long test report is kept whole: its totals are at the end', () => {
    const report = `${'ok 1 - a test\n'.repeat(10_000)}10000 passed`;
    expect(outputOf(report)).toBe(report);
    expect(outputOf([{ type: 'text', text: report }])).toBe(report);
  });

  it('an endless one keeps its beginning and its end, and says that it was cut', () => {
    const output = outputOf(`first${'-'.repeat(3_000_000)}last`);
    expect(output.length).toBeLessThan(200_100);
    expect(output).toMatch(/^first-+\n\[\.\.\. 2800009 characters left out \.\.\.\]\n-+last$/);
  });
});

describe('a subagent', () => {
  it('makes no promise for the agent that asked it', () => {
    const message = { id: 'm', model: 'x', content: [{ type: 'text', text: 'COMPLETE' }], usage: { input_tokens: 1 } };
    const line = { type: 'assistant', message };
    expect(of(parseClaude(JSON.stringify(line)), 'text')).toHaveLength(1);
    const events = parseClaude(JSON.stringify({ ...line, parent_tool_use_id: 'toolu_1' }));
    expect(events.map(({ kind }) => kind)).toEqual(['usage']);
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

  it('a refusal for too many requests passes by itself: the run waits', () => {
    const text = 'API Error: Request rejected (429)';
    const message = { model: '<synthetic>', content: [{ type: 'text', text }] };
    const line = { type: 'assistant', error: 'rate_limit', api_error_status: 429, message };
    expect(parseClaude(JSON.stringify(line))).toEqual([{ kind: 'limit', limit: 'overload', message: text }]);
  });

  it('any damage to a recording is read without an error, and only into whole events', () => {
    const lines = recordings.flatMap(linesOf).filter((line) => line !== '');
    fc.assert(
      fc.property(mangledLine(lines), (line) => {
        expect(parseClaude(line).flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(1000) },
    );
  });

  it('an input that is nested too deeply to be written is survived', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const [call] = parseClaude(
      `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"T","input":${deep}}]}}`,
    );
    expect(call).toMatchObject({ kind: 'tool-call', name: 'T' });
  });

  it('a result that names very many models is survived', () => {
    const models = Array.from({ length: 200_000 }, (_, index) => `"${index}":{"contextWindow":${index}}`).join(',');
    expect(of(parseClaude(`{"type":"result","modelUsage":{${models}}}`), 'context')).toEqual([
      { kind: 'context', windowTokens: 199_999 },
    ]);
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
