import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseClaude } from '../agents/parse-claude.js';
import type { NewEvent } from '../model/run-event.js';
import { reduce } from '../model/reduce.js';
import { INITIAL_STATE } from '../model/run-state.js';
import { createNarration, type NarrationOptions } from './narrate.js';

const STREAM = fileURLToPath(new URL('../../test/fixtures/streams/claude/permission-denied.jsonl', import.meta.url));

function narrated(lines: readonly string[]): readonly NewEvent[] {
  const events: NewEvent[] = [];
  const spec = { policy: { success: [], failure: [], limits: [] }, agent: {}, prices: {}, parseTests: false };
  const narration = createNarration({
    spec: spec as unknown as NarrationOptions['spec'],
    prompt: 'x',
    record: (event) => events.push(event),
    redact: (text) => text,
    now: () => new Date(),
  });
  for (const line of lines) for (const event of parseClaude(line)) narration.tell(event);
  narration.end();
  return events;
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
  const narration = createNarration({
    spec: spec as unknown as NarrationOptions['spec'],
    prompt: 'x',
    record: (event) => events.push(event),
    redact: (text) => text,
    now: () => new Date(),
    ...options,
  });
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
