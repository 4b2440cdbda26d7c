import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, describe } from 'vitest';
import { runContext } from '../../test/support/run-context.js';
import { encodeRecord } from '../journal/record-scanner.js';
import { parseClaude } from '../agents/claude/parse.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { NewEvent } from '../model/run-event.js';
import { reduce } from '../model/reduce.js';
import type { RunSpec } from '../model/run-spec.js';
import { INITIAL_STATE } from '../model/run-state.js';
import { createNarration, type NarrationOptions, createReportedUsage } from './narrate.js';
import { resolveConfig } from '../config/resolve-config.js';

const STREAM = fileURLToPath(new URL('../../test/fixtures/streams/claude/permission-denied.jsonl', import.meta.url));

function narrated(lines: readonly string[]): readonly NewEvent[] {
  return narratedEvents(lines.flatMap((line) => parseClaude(line))).events;
}

function narratedEvents(told: Iterable<AgentEvent>) {
  const events: NewEvent[] = [];
  const spec = { policy: { success: [], failure: [], limits: [] }, agent: {}, prices: {}, parseTests: false };
  const run = runContext({ spec: spec as unknown as RunSpec, record: (event) => events.push(event) });
  const narration = createNarration(run, { prompt: 'x' });
  for (const event of told) narration.tell(event);
  narration.end();
  return { events, narration };
}

/** The denials in a row that the record shows in the end. */
function denialsIn(events: readonly NewEvent[]): number {
  const stamped = events.map((event, index) => ({ v: 1, seq: index + 1, at: '2026-01-01T00:00:00.000Z', ...event }));
  return stamped.reduce((state, event) => reduce(state, event as Parameters<typeof reduce>[1]), INITIAL_STATE).streaks
    .denials;
}

const lines = readFileSync(STREAM, 'utf8').trim().split('\n');
const again = (name: string) => lines.map((line) => line.replaceAll('toolu_', `toolu_${name}`));

it('what comes back from a call that was denied does not end the row of denials', () => {
  expect(denialsIn(narrated([...again('a'), ...again('b'), ...again('c')]))).toBe(3);
});

it('a call that was let work does, also when it failed', () => {
  const call = { type: 'tool_use', id: 'toolu_x', name: 'Bash', input: {} };
  const answer = { type: 'tool_result', tool_use_id: 'toolu_x', is_error: true, content: 'exit 1' };
  const allowed = [
    JSON.stringify({ type: 'assistant', message: { content: [call] } }),
    JSON.stringify({ type: 'user', message: { content: [answer] } }),
  ];
  expect(denialsIn(narrated([...again('a'), ...allowed]))).toBe(0);
  expect(denialsIn(narrated([...again('a'), ...allowed, ...again('b')]))).toBe(1);
});

function contextOf(usage: object, options: Partial<NarrationOptions> = {}): readonly NewEvent[] {
  const events: NewEvent[] = [];
  const spec = { policy: { success: [], failure: [], limits: [] }, agent: {}, prices: {}, parseTests: false };
  const run = runContext({ spec: spec as unknown as RunSpec, record: (event) => events.push(event) });
  const narration = createNarration(run, { prompt: 'x', ...options });
  narration.tell({
    kind: 'usage',
    scope: 'request',
    spend: { inputTokens: 90_000, outputTokens: 10_000 },
    model: 'claude-sonnet-4-5',
    ...usage,
  });
  narration.end();
  return events.filter(({ type }) => type === 'context-reported');
}

it('an agent that reports requests and no window has the window of its model', () => {
  const listed = { contextOfRequests: true };
  expect(contextOf({}, listed)).toEqual([{ type: 'context-reported', usedTokens: 100_000, windowTokens: 200_000 }]);
  expect(contextOf({ model: 'claude-sonnet-4-5[1m]' }, listed)).toMatchObject([{ windowTokens: 1_000_000 }]);
  expect(contextOf({ model: 'a-model-of-my-own' }, listed)).toEqual([]);
  expect(contextOf({ scope: 'turn' }, listed)).toEqual([]);
  // More than the list knows of: the window is another one.
  expect(contextOf({ spend: { inputTokens: 250_000, outputTokens: 1 } }, listed)).toEqual([]);
  // An agent that reports its window itself does so later.
  expect(contextOf({})).toEqual([]);
});

/** What the record of these events takes on disk, with what each line has beside them. */
const bytesOf = (events: readonly NewEvent[]) =>
  events.reduce(
    (sum, event, index) => sum + encodeRecord(event, { seq: index + 1, at: AT, activeMs: 1 }).line.length,
    0,
  );
const AT = '2026-03-01T00:00:00.000Z';

it('a flood of tiny calls does not fill the record: what is left out is counted', () => {
  const calls = Array.from({ length: 60_000 }, (): AgentEvent => ({ kind: 'tool-call', name: 'x' }));
  const { events, narration } = narratedEvents(calls);
  expect(events.length).toBeLessThan(25_000);
  expect(events.length + narration.droppedEvents).toBe(calls.length);
});

it('a flood of reports of the context takes no more room, and the fullest and the last one are recorded', () => {
  const reports = Array.from(
    { length: 300_000 },
    (_, index): AgentEvent => ({ kind: 'context', usedTokens: index % 50, windowTokens: 100 }),
  );
  const { events, narration } = narratedEvents([
    ...reports,
    { kind: 'context', usedTokens: 95, windowTokens: 100 },
    { kind: 'context', usedTokens: 7, windowTokens: 100 },
  ]);
  expect(bytesOf(events)).toBeLessThan(25_000_000);
  const [fullest, last] = events.slice(-2);
  expect([fullest, last]).toMatchObject([{ usedTokens: 95 }, { usedTokens: 7 }]);
  expect(narration.droppedEvents).toBeGreaterThan(0);
});

it('a flood of tiny messages takes no more room than a few large ones', () => {
  const said = Array.from({ length: 300_000 }, (_, index): AgentEvent => ({ kind: 'text', text: String(index % 10) }));
  expect(bytesOf(narratedEvents(said).events)).toBeLessThan(25_000_000);
});

it('after a flood of calls, errors, limits, denials, what ends them, usage and the result are still recorded', () => {
  const flood = Array.from({ length: 50_000 }, (): AgentEvent => ({ kind: 'tool-result', failed: false, output: 'x' }));
  const { events } = narratedEvents([
    ...flood,
    { kind: 'error', error: 'other', message: 'broken' },
    { kind: 'limit', limit: 'usage', message: 'no more' },
    { kind: 'permission-denied', tool: 'Bash' },
    { kind: 'tool-result', output: 'let work' },
    { kind: 'usage', scope: 'turn', spend: { totalTokens: 7 } },
    { kind: 'result', outcome: 'completed' },
  ] as AgentEvent[]);
  const types = events.slice(-6).map(({ type }) => type);
  expect(types).toEqual([
    'error-seen',
    'limit-hit',
    'permission-denied',
    'tool-answered',
    'usage-reported',
    'agent-finished',
  ]);
  expect(denialsIn(events)).toBe(0);
});

function reading() {
  const { spec } = resolveConfig({ agent: { name: 'claude', model: 'claude-opus-4-5' }, trackFileChanges: false });
  const recorded: NewEvent[] = [];
  const usage = createReportedUsage({
    spec,
    record: (event) => recorded.push(event),
    redact: (text) => text,
    now: () => Date.parse('2026-03-01T00:00:00Z'),
  });
  return { usage, recorded };
}

describe('what a command tells of its spend', () => {
  it('is not charged at the price of the agent when it names no model', () => {
    const { usage, recorded } = reading();
    expect(usage.read('{"pawl":"usage","input_tokens":1000000,"output_tokens":0,"cost_usd":0.02}')).toBe(true);
    expect(recorded).toMatchObject([{ type: 'usage-reported', spend: { costUsd: 0.02 } }]);
    expect(usage.isUnknown).toBe(false);
  });

  it('is priced by the list when it names one', () => {
    const { usage, recorded } = reading();
    usage.read('{"pawl":"usage","model":"gpt-4o-mini","input_tokens":1000000,"output_tokens":0}');
    expect(recorded).toMatchObject([{ model: 'gpt-4o-mini', spend: { costUsd: 0.15 } }]);
  });

  it.each(['{"pawl":"usage"}', '{"pawl":"usage","cost_usd":-1}', '{"pawl":"usage","cost_usd":"much"}'])(
    'is unknown after %s',
    (line) => {
      const { usage, recorded } = reading();
      expect(usage.read(line)).toBe(true);
      expect(usage.isUnknown).toBe(true);
      expect(recorded).toEqual([]);
    },
  );

  it.each([
    '',
    'usage',
    '{"verdict":"approved","cost_usd":1}',
    '{"pawl":"text","text":"x"}',
    '{"pawl":"usage"',
    '["usage"]',
  ])('is nothing on the line %j', (line) => {
    const { usage, recorded } = reading();
    expect(usage.read(line)).toBe(false);
    expect({ recorded, isUnknown: usage.isUnknown }).toEqual({ recorded: [], isUnknown: false });
  });
});
