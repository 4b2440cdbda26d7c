import { InvalidPromptError, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryJournal } from '../journal/memory-journal.js';
import { maxCost, maxIterations } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import { callModel } from './call-model.js';
import { createDeepFactorAgent } from './index.js';

const look = tool({ inputSchema: z.object({}), execute: () => 'seen' });
const CALL = { toolCalls: [{ name: 'look' }] };
const hangs = () => new Promise<never>(() => undefined);

describe('an answer that was broken off', () => {
  it.each(['content-filter', 'error'] as const)(
    'by %s is no goal, and nobody is asked about it',
    async (finishReason) => {
      const asked: string[] = [];
      const verify = ({ text }: { readonly text: string }) => asked.push(text) > 0;
      for (const verifyCompletion of [verify, undefined]) {
        const model = scriptedModel([{ text: 'half', finishReason }, { text: 'all' }]);
        const agent = createDeepFactorAgent({ model, verifyCompletion });
        const result = await agent.loop({ prompt: 'go' });
        expect(result).toMatchObject({ status: 'completed', iterations: 2, text: 'all' });
        expect(result.state.recent.map(({ outcome }) => outcome)).toEqual(['failed', 'completed']);
      }
      expect(asked).toEqual(['all']);
    },
  );

  it('is none after a crash either', async () => {
    const model = scriptedModel([{ text: 'half', finishReason: 'content-filter' }, { text: 'all' }]);
    const inside = memoryJournal();
    await createDeepFactorAgent({ model, journal: inside }).loop({ prompt: 'go' });
    const said = inside.events.findIndex((event) => event.type === 'message-recorded' && event.call !== undefined);
    const journal = memoryJournal({ events: inside.events.slice(0, said + 1) });
    const result = await createDeepFactorAgent({ model, journal }).resume(journal.state.runId ?? '');
    expect(result).toMatchObject({ status: 'completed', text: 'all' });
    expect(result.state.recent.map(({ outcome }) => outcome)).toEqual(['interrupted', 'failed', 'completed']);
  });
});

describe('what a call spends that comes to nothing', () => {
  it('is nothing when it never left', async () => {
    const model = scriptedModel([{ error: new InvalidPromptError({ prompt: '', message: 'odd' }) }, { text: 'ok' }]);
    const result = await createDeepFactorAgent({ model, stopWhen: maxCost(1) }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2, costIsPartial: false });
    expect(result.costUsd).toBeCloseTo(0.00045);
  });

  it('is estimated by the dearest call of the same turn', async () => {
    const model = scriptedModel([CALL, hangs, { text: 'ok' }]);
    const options = { model, tools: { look }, idleTimeout: '80ms', stopWhen: maxCost(1) };
    const result = await createDeepFactorAgent(options).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2 });
    expect(result.costUsd).toBeCloseTo(3 * 0.00045);
  });

  it('is estimated like that after a crash in the first iteration, too', async () => {
    const model = scriptedModel([CALL, { text: 'ok' }]);
    const inside = memoryJournal();
    const options = { model, tools: { look }, stopWhen: maxCost(1) };
    await createDeepFactorAgent({ ...options, journal: inside }).loop({ prompt: 'go' });
    const asked = inside.events.findIndex(({ type }) => type === 'tool-answered');
    const journal = memoryJournal({ events: inside.events.slice(0, asked + 1) });
    const result = await createDeepFactorAgent({ ...options, journal }).resume(journal.state.runId ?? '');
    expect(result).toMatchObject({ status: 'completed', text: 'ok', costIsPartial: false });
    expect(result.costUsd).toBeCloseTo(3 * 0.00045);
  });

  it('blocks a budget where there is no other call, and a raised one says that its cost is a part', async () => {
    const model = scriptedModel([hangs, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, idleTimeout: '80ms', stopWhen: maxCost(1) });
    const first = await agent.loop({ prompt: 'go' });
    expect(first).toMatchObject({ stopClass: 'blocked', costIsPartial: true });
    expect(first.costUsd).toBeUndefined();
    await expect(agent.resume(first.runId)).rejects.toThrow(
      /^stopWhen: .*`raise: \[maxCost\(USD\)\]`, which accepts that/,
    );
    const second = await agent.resume(first.runId, { raise: [maxCost(2)] });
    expect(second).toMatchObject({ status: 'completed', costIsPartial: true });
    expect(second.costUsd).toBeCloseTo(0.00045);
  });
});

it('a run that gave up says why its calls failed', async () => {
  const model = scriptedModel([{ error: new Error('model: claude-x not found') }]);
  const { stopReason } = await createDeepFactorAgent({ model }).loop({ prompt: 'go' });
  expect(stopReason).toMatch(/3 iterations.*failed.*"model: claude-x not found"$/);
});

describe('a turn that never ends by itself', () => {
  it.each([
    [{}, 40],
    [{ maxStepsPerTurn: 3 }, 6],
  ])('has a limited number of model calls, with %o', async (options, calls) => {
    const model = scriptedModel([CALL]);
    const result = await createDeepFactorAgent({
      model,
      tools: { look },
      stopWhen: maxIterations(2),
      ...options,
    }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ stopClass: 'limit', iterations: 2 });
    expect(model.calls).toHaveLength(calls);
  });

  it('continues in the next one where it was', async () => {
    const model = scriptedModel([CALL, CALL, { text: 'done' }]);
    const result = await createDeepFactorAgent({ model, tools: { look }, maxStepsPerTurn: 2 }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2, text: 'done' });
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 3, 5]);
  });

  it.each(['signal', 'iterationTimeout'])(
    'of a model and tools that answer without I/O does not keep the %s from it',
    async (how) => {
      const isSignal = how === 'signal';
      const model = scriptedModel([(_call, index) => (index < 3000 ? CALL : { text: 'nobody stopped me' })]);
      const result = await createDeepFactorAgent({
        model,
        tools: { look },
        maxStepsPerTurn: 10_000,
        stopWhen: maxIterations(1),
        ...(isSignal ? {} : { iterationTimeout: '50ms' }),
      }).loop({ prompt: 'go', ...(isSignal ? { signal: AbortSignal.timeout(50) } : {}) });
      expect(result.stopClass).toBe(isSignal ? 'operator' : 'limit');
      expect(result.text).not.toBe('nobody stopped me');
    },
  );
});

it('the SDK checks only the newest message of a conversation, and the model still gets all of them', async () => {
  const model = scriptedModel([{ text: 'ok' }]);
  const refused = { role: 'user', content: 'first', providerOptions: 'no object' } as never;
  const rest = { model, tools: {}, signal: new AbortController().signal };
  await callModel({ ...rest, messages: [refused, { role: 'user', content: 'second' }] });
  expect(JSON.stringify(model.calls[0]?.prompt)).toMatch(/first.*second/);
  await expect(callModel({ ...rest, messages: [refused] })).rejects.toThrow();
});
