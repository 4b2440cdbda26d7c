import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { AgentAdapter } from '../../src/agents/adapter.js';
import { claudeAgent } from '../../src/agents/claude/index.js';
import { commandAgent } from '../../src/agents/command.js';
import { AGENTS } from '../../src/agents/index.js';
import { resolveConfig } from '../../src/config/resolve-config.js';
import { createNarration } from '../../src/iteration/narrate.js';
import type { AgentEvent, AgentEventOf } from '../../src/model/agent-event.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { NewEvent } from '../../src/model/run-event.js';
import type { RunState } from '../../src/model/run-state.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { runContext } from '../support/run-context.js';
import { addSpend, largerSpend, NOTHING_SPENT, type Spend } from '../../src/model/usage.js';
import { begin, end, record, started } from '../support/record.js';

const ROOT = new URL('../../', import.meta.url);
const STREAMS = [new URL('test/fixtures/streams/', ROOT), new URL('../shared/streams/', ROOT)];
const TRAJECTORIES = new URL('../shared/trajectories/claude-code-2.1.89/', ROOT);

function readLines(adapter: AgentAdapter, lines: readonly string[]): readonly AgentEvent[] {
  const reader = adapter.reader?.({ now: () => new Date() }) ?? { read: (line) => adapter.parse(line), end: () => [] };
  return [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
}

/** The record of one iteration in which an agent showed these events. */
function recordOf(events: readonly AgentEvent[]) {
  const { spec } = resolveConfig({ agent: { name: 'command', command: 'true' }, trackFileChanges: false });
  const drafts: NewEvent[] = [];
  const now = () => Date.parse('2026-11-01T00:00:00Z');
  const narration = createNarration(runContext({ spec, record: (draft) => drafts.push(draft), now }), { prompt: '' });
  for (const event of events) narration.tell(event);
  narration.end();
  return record([started(), begin(1), ...drafts, end(1, { agentStarted: false })]);
}

const countedOf = (events: readonly AgentEvent[]): Spend => totalSpend(reduceAll(recordOf(events)).spend);

/** Each way to add up the reports of one process: its requests, its turns, the totals of its sessions. */
function sumsOf(events: readonly AgentEvent[]): readonly Spend[] {
  const usage = events.filter((event): event is AgentEventOf<'usage'> => event.kind === 'usage');
  const largest = (scope: string, keyOf: (event: AgentEventOf<'usage'>, index: number) => string): Spend => {
    const byKey = new Map<string, Spend>();
    for (const [index, event] of usage.entries()) {
      if (event.scope !== scope) continue;
      const key = keyOf(event, index);
      byKey.set(key, largerSpend(byKey.get(key) ?? NOTHING_SPENT, event.spend));
    }
    return [...byKey.values()].reduce(addSpend, NOTHING_SPENT);
  };
  return [
    largest('request', ({ id }, index) => id ?? `#${index}`),
    largest('turn', (_event, index) => `#${index}`),
    largest('session-total', ({ session, model }) => `${session ?? ''} ${model ?? ''}`),
  ];
}

const TOKENS = ['inputTokens', 'outputTokens'] as const;

function expectNoneAbove(counted: Spend, sums: readonly Spend[], name: string): void {
  for (const sum of sums)
    for (const field of TOKENS)
      expect(counted[field] ?? Number.NaN, `${name}: ${field}`).toBeGreaterThanOrEqual(sum[field] ?? 0);
}

describe.each(AGENTS.map((adapter) => [adapter.name, adapter] as const))('recordings of %s', (name, adapter) => {
  const recordings = STREAMS.map((folder) => new URL(`${name}/`, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.jsonl'))
        .map((file) => ({ file, lines: readFileSync(new URL(file, folder), 'utf8').split('\n') })),
    );

  it('are counted once, with the largest of the sums that the agent reports', () => {
    for (const { file, lines } of recordings) {
      // A call that was cut off is charged by estimate, which is not a report.
      const events = readLines(adapter, lines).filter((event) => event.kind !== 'usage' || event.unknown !== true);
      if (!events.some(({ kind }) => kind === 'usage')) continue;
      const counted = countedOf(events);
      const sums = sumsOf(events);
      expectNoneAbove(counted, sums, file);
      for (const field of TOKENS) expect(counted[field], file).toBe(Math.max(...sums.map((sum) => sum[field] ?? 0)));
    }
    expect(recordings.length).toBeGreaterThan(5);
  });

  it('count the same after a crash at any event and a resume from the snapshot', () => {
    for (const { file, lines } of recordings) {
      const events = recordOf(readLines(adapter, lines));
      const whole = totalSpend(reduceAll(events).spend);
      for (let cut = 0; cut <= events.length; cut++) {
        const snapshot = JSON.parse(JSON.stringify(reduceAll(events.slice(0, cut)))) as RunState;
        expect(totalSpend(reduceAll(events.slice(cut), snapshot).spend), file).toEqual(whole);
      }
    }
  });
});

/** What Claude Code says itself at the end of a process: the sum of its models, and of its results. */
function ownTotals(lines: readonly string[]): { readonly models: Spend; readonly results: Spend } {
  let [models, results]: [Spend, Spend] = [NOTHING_SPENT, NOTHING_SPENT];
  for (const line of lines) {
    if (!line.includes('"type":"result"')) continue;
    const { modelUsage, usage } = JSON.parse(line) as {
      readonly modelUsage: Record<string, Record<string, number>>;
      readonly usage: Record<string, number>;
    };
    const sum = Object.values(modelUsage).map((model) => ({
      inputTokens:
        (model['inputTokens'] ?? 0) + (model['cacheReadInputTokens'] ?? 0) + (model['cacheCreationInputTokens'] ?? 0),
      outputTokens: model['outputTokens'] ?? 0,
    }));
    models = largerSpend(models, sum.reduce<Spend>(addSpend, NOTHING_SPENT));
    const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0, output_tokens = 0 } = usage;
    results = addSpend(results, {
      ...NOTHING_SPENT,
      inputTokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
      outputTokens: output_tokens,
    });
  }
  return { models, results };
}

function expectOwnTotals(name: string, lines: readonly string[]): Spend {
  const events = readLines(claudeAgent, lines);
  const counted = countedOf(events);
  const { models, results } = ownTotals(lines);
  const sums = sumsOf(events);
  expectNoneAbove(counted, [models, results, ...sums], name);
  // Nothing counts twice: a figure above the agent's own total is the sum of its messages.
  for (const field of TOKENS) {
    const own = Math.max(models[field] ?? 0, results[field] ?? 0);
    expect(counted[field], `${name}: ${field}`).toBe(Math.max(own, sums[0]?.[field] ?? 0));
  }
  return counted;
}

const message = (id: string, input: number, output: number, model = 'kimi-k2.5') =>
  JSON.stringify({
    type: 'assistant',
    message: { id, model, content: [], usage: { input_tokens: input, output_tokens: output } },
  });
const result = (usage: readonly [number, number], total: readonly [number, number], costUSD: number) =>
  JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: 's',
    total_cost_usd: costUSD,
    usage: { input_tokens: usage[0], output_tokens: usage[1] },
    modelUsage: { 'kimi-k2.5': { inputTokens: total[0], outputTokens: total[1], costUSD, contextWindow: 200_000 } },
  });

describe('Claude Code before it told the usage since the last result', () => {
  it('messages with zero usage do not hide what the total of the process has', () => {
    const lines = [message('a', 100, 5), message('b', 0, 0), result([40, 0], [140, 5], 0.9)];
    expect(expectOwnTotals('zero usage', lines)).toMatchObject({ inputTokens: 140, outputTokens: 5, costUsd: 0.9 });
  });

  it('the total of a second result includes the first one', () => {
    const lines = [
      message('a', 100, 5),
      result([100, 5], [120, 5], 0.5),
      message('b', 0, 0),
      message('c', 60, 2),
      result([0, 0], [200, 8], 0.8),
    ];
    expect(expectOwnTotals('two results', lines)).toMatchObject({ inputTokens: 200, outputTokens: 8, costUsd: 0.8 });
  });

  it('the total of a resumed session is that of the new process', () => {
    const process = [message('a', 100, 5), result([100, 5], [120, 5], 0.5)];
    const events = readLines(claudeAgent, process);
    const [first, second] = [recordOf(events), recordOf(events)];
    const both = [...first, ...second.slice(1)].map((event, index) => ({ ...event, seq: index + 1 }));
    expect(totalSpend(reduceAll(both).spend)).toMatchObject({ inputTokens: 240, outputTokens: 10, costUsd: 1 });
  });

  it('messages that add up to more than the total of the process count', () => {
    const lines = [message('a', 100, 5), message('b', 80, 1), result([80, 1], [80, 6], 0.5)];
    expect(expectOwnTotals('messages', lines)).toMatchObject({ inputTokens: 180, outputTokens: 6 });
  });

  it('real runs are never counted below what Claude Code says itself', () => {
    if (!existsSync(TRAJECTORIES)) {
      process.stderr.write(`not checked: there are no recorded runs in ${TRAJECTORIES.pathname}\n`);
      return;
    }
    const files = readdirSync(TRAJECTORIES).filter((file) => file.endsWith('.jsonl.gz'));
    for (const file of files) {
      const lines = gunzipSync(readFileSync(new URL(file, TRAJECTORIES)))
        .toString('utf8')
        .split('\n');
      expectOwnTotals(file, lines);
    }
    expect(files.length).toBeGreaterThan(0);
  });
});

describe('an agent of the user', () => {
  const usage = (fields: object) => JSON.stringify({ pawl: 'usage', ...fields });

  it('a turn that costs more than its requests counts, although it has the same tokens', () => {
    const lines = [
      usage({ id: 'a', input_tokens: 10, output_tokens: 1, cost_usd: 0.1 }),
      usage({ scope: 'turn', input_tokens: 10, output_tokens: 1, cost_usd: 0.2 }),
    ];
    expect(countedOf(readLines(commandAgent, lines))).toMatchObject({ inputTokens: 10, costUsd: 0.2 });
  });

  it('a turn has the price of its requests where Pawl knows it', () => {
    const lines = [
      usage({ id: 'a', model: 'claude-sonnet-4-5', input_tokens: 1e6, output_tokens: 0 }),
      usage({ scope: 'turn', input_tokens: 1e6, output_tokens: 0, cost_usd: 99 }),
    ];
    expect(countedOf(readLines(commandAgent, lines)).costUsd).toBe(6);
  });
});
