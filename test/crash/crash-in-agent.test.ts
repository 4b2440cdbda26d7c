import { loopStateOf } from '../../src/model/phase.js';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeepFactorAgent } from '../../src/agent/index.js';
import { memoryJournal } from '../../src/journal/memory-journal.js';
import { canonicalJson } from '../../src/model/json.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import {
  type CrashPoint,
  crashingJournal,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedReply,
  scriptedModel,
} from '../../src/testing/index.js';
import { FULL } from '../support/full-form.js';

const TURNS = [
  {
    toolCalls: [
      { name: 'look', id: 'a' },
      { name: 'look', id: 'b', input: { at: 'b' } },
    ],
  },
  { text: 'half', usage: { input: 200, output: 20 } },
  { text: 'on it', toolCalls: [{ name: 'look', id: 'c' }] },
  { text: 'DONE' },
] as const;

/** One way to work, by what the model is told and not by what it was asked before: a model does not know of crashes. */
interface Scenario {
  readonly reply: (prompt: ScriptedCall['prompt']) => ScriptedAnswer;
  readonly contextWindow: number;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'in one conversation': {
    reply: (prompt) => TURNS[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'too far' },
    contextWindow: 1_000_000,
  },
  'in a fresh conversation with a summary of the first': {
    reply(prompt) {
      const told = JSON.stringify(prompt);
      if (told.includes('Write a summary')) return { text: 'SUMMARY of the first half' };
      if (!told.includes('tool-result'))
        return { toolCalls: [{ name: 'look', id: told.includes('SUMMARY') ? 'b' : 'a' }] };
      return told.includes('SUMMARY') ? { text: 'DONE' } : { text: 'half', usage: { input: 900, output: 50 } };
    },
    contextWindow: 1000,
  },
};

interface Life {
  readonly events: readonly RunEvent[];
  /** The prompts of all model calls, as text. */
  readonly calls: readonly string[];
  readonly tools: readonly string[];
}

/** One life of the process: up to its end, or to the crash. */
async function live(scenario: Scenario, before: readonly RunEvent[], crash?: CrashPoint): Promise<Life> {
  const calls: string[] = [];
  const tools: string[] = [];
  const answer: ScriptedReply = ({ prompt }) => {
    calls.push(canonicalJson(prompt));
    return scenario.reply(prompt);
  };
  const look = tool({
    inputSchema: z.object({ at: z.string().optional() }),
    execute: (_, { toolCallId }) => {
      tools.push(toolCallId);
      return `seen by ${toolCallId}`;
    },
  });
  const inside = memoryJournal({ events: before });
  const journal = crash === undefined ? inside : crashingJournal(inside, crash);
  const agent = createDeepFactorAgent({
    model: scriptedModel([answer]),
    tools: { look },
    journal,
    contextManagement: { contextWindow: scenario.contextWindow },
    verifyCompletion: ({ text }) => ({ complete: text === 'DONE', reason: 'the other half is missing' }),
  });
  const { runId } = inside.state;
  await (runId === undefined ? agent.loop({ prompt: 'Do both halves.' }) : agent.resume(runId));
  return { events: inside.events, calls, tools };
}

const messagesIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'message-recorded' ? [event.message as { readonly role: string }] : []));
const answersIn = (events: readonly RunEvent[]) => messagesIn(events).filter(({ role }) => role === 'assistant').length;
const resultsIn = (events: readonly RunEvent[]) => messagesIn(events).filter(({ role }) => role === 'tool').length;
/** Results of one answer come in any order. */
const conversation = (events: readonly RunEvent[]) => messagesIn(events).map(canonicalJson).sort();
const isOver = (events: readonly RunEvent[]) => loopStateOf(reduceAll(events)) === 'completed';

describe.each(Object.entries(SCENARIOS))('an agent whose process dies at an append, %s', async (_, scenario) => {
  const whole = await live(scenario, []);
  const points = [...whole.events.keys()].flatMap((index): CrashPoint[] => [
    { append: index + 1, when: 'before' },
    { append: index + 1, when: 'after' },
  ]);

  /** What must hold however often it died. */
  function check(events: readonly RunEvent[]): void {
    expect(conversation(events)).toEqual(conversation(whole.events));
    const state = reduceAll(events);
    expect(state.faults).toBeUndefined();
    expect(state).toMatchObject({ phase: { state: 'completed', end: { class: 'goal' } }, iterations: 2 });
    expect(events.filter(({ type }) => type === 'run-ended')).toHaveLength(1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  }

  it('ends the same without a crash', () => {
    check(whole.events);
    expect(whole.calls.length).toBeGreaterThanOrEqual(4);
    expect(new Set(whole.calls).size).toBe(whole.calls.length);
    expect(whole.tools.length).toBeGreaterThanOrEqual(2);
  });

  const after = new Map<string, Promise<Life>>();
  /** What comes after a record depends on the record alone: two crashes that leave the same one are followed up once. */
  function liveOn(events: readonly RunEvent[]): Promise<Life> {
    const record = events.map((event) =>
      event.type === 'message-recorded' ? canonicalJson(event.message) : event.type,
    );
    const key = record.join('\n');
    const known = after.get(key) ?? live(scenario, events);
    after.set(key, known);
    return known;
  }

  it('goes on from there: no completed call and no completed tool a second time, at every append', async () => {
    for (const point of points) {
      const first = await live(scenario, [], point);
      if (isOver(first.events)) continue;
      const why = JSON.stringify(point);
      const second = await liveOn(first.events);
      check(second.events);
      // What is on record is never asked for again; what is not, is.
      const [answers, results] = [answersIn(first.events), resultsIn(first.events)];
      expect(second.calls, why).toEqual(whole.calls.slice(answers));
      expect(second.tools.length, why).toBe(whole.tools.length - results);
      expect(first.calls.length - answers, why).toBeLessThanOrEqual(1);
      // A call that may have been under way is charged; everything else costs what it costs without a crash.
      const state = reduceAll(second.events);
      const isGuessed = state.spend.estimatedIterations + state.spend.unknownIterations > 0;
      const { costUsd, ...tokens } = totalSpend(reduceAll(whole.events).spend);
      if (!isGuessed) expect(totalSpend(state.spend), why).toMatchObject(tokens);
      if (!isGuessed) expect(totalSpend(state.spend).costUsd, why).toBeCloseTo(costUsd ?? 0, 10);
      if (first.calls.length > answers) expect(isGuessed, why).toBe(true);
    }
  }, 600_000);

  it('dies again while it recovers, and goes on all the same', async () => {
    const firsts = FULL ? points : points.filter((_, index) => index % 7 === 3);
    for (const first of firsts) {
      const kept = await live(scenario, [], first);
      if (isOver(kept.events)) continue;
      for (let append = 1; append <= (FULL ? 24 : 4); append++) {
        const again = await live(scenario, kept.events, { append, when: append % 2 === 0 ? 'before' : 'after' });
        const last = isOver(again.events) ? again : await liveOn(again.events);
        check(last.events);
        if (last === again) continue;
        expect(last.calls).toEqual(whole.calls.slice(answersIn(again.events)));
        expect(last.tools.length).toBe(whole.tools.length - resultsIn(again.events));
      }
    }
  }, 600_000);
});
