import { endOf } from '../model/phase.js';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APICallError, jsonSchema, tool } from 'ai';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryJournal } from '../journal/memory-journal.js';
import type { RunEvent } from '../model/run-event.js';
import {
  allOf,
  failure,
  fileCreated,
  goal,
  maxCost,
  maxDuration,
  maxIterations,
  not,
  outputPattern,
} from '../stop/conditions.js';
import { type ScriptedCall, scriptedModel } from '../testing/index.js';
import { createDeepFactorAgent } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-agent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const add = tool({
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const ADD = { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] };

/** The last thing that a model was told, as text. */
function lastTold(call: ScriptedCall | undefined): string {
  return JSON.stringify(call?.prompt.at(-1)?.content);
}

const refusal = (statusCode: number, message: string) =>
  new APICallError({ message, url: 'http://model', requestBodyValues: {}, statusCode });

describe('a turn', () => {
  it('calls tools until the model has no more to call, and believes it where nobody verifies', async () => {
    const model = scriptedModel([ADD, { text: 'It is 3.' }]);
    const agent = createDeepFactorAgent({ model, tools: { add }, instructions: 'Be brief.' });
    const result = await agent.loop({ prompt: 'What is 1 + 2?' });
    expect(result).toMatchObject({ status: 'completed', stopClass: 'goal', text: 'It is 3.', iterations: 1 });
    expect(result.stopReason).toContain('nothing verified');
    expect(model.calls).toHaveLength(2);
    expect(model.calls[0]?.prompt[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
    expect(result.steps).toMatchObject([
      { toolCalls: [{ toolName: 'add' }], toolResults: [{ output: '{"sum":3}', failed: false }] },
      { text: 'It is 3.' },
    ]);
    expect(result.usage).toMatchObject({ 'claude-sonnet-4-5': { inputTokens: 200, outputTokens: 20 } });
    expect(result.costUsd).toBeCloseTo(0.0009);
    expect(result.verdict?.conditions.map(({ status }) => status)).toContain('met');
  });

  it('a tool that throws, is not there, gets a wrong input or answers what nobody can write down is told to the model', async () => {
    const throws = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error('no luck');
      },
    });
    const odd = tool({ inputSchema: z.object({}), execute: () => ({ big: 1n }) as unknown as string });
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'throws' },
          { name: 'missing' },
          { name: 'add', input: { a: 'x' } },
          { name: 'add', input: '{"a": 1' },
          { name: 'odd' },
        ],
      },
      { text: 'I see.' },
    ]);
    const agent = createDeepFactorAgent({ model, tools: { add, throws, odd } });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 1 });
    const [step] = result.steps;
    expect(step?.toolResults.every(({ failed }) => failed)).toBe(true);
    expect(step?.toolResults.map(({ output }) => output).join('\n')).toMatch(
      /no luck[^]*missing[^]*add[^]*BigInt|BigInt/,
    );
    expect(lastTold(model.calls[1])).toContain('no luck');
  });

  it('hands a tool its id and the messages before, takes the last value of a generator, and its own words for the model', async () => {
    const seen: unknown[] = [];
    const slow = tool({
      inputSchema: z.object({}),
      async *execute(_, { toolCallId, messages }) {
        seen.push([toolCallId, messages.map(({ role }) => role)]);
        yield 'half';
        yield 'whole';
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: `<${output}>` }),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'slow', id: 'x1' }] }, { text: 'ok' }]);
    await createDeepFactorAgent({ model, tools: { slow } }).loop({ prompt: 'go' });
    expect(seen).toEqual([['x1', ['user']]]);
    expect(lastTold(model.calls[1])).toContain('<whole>');
  });

  it('the results of one answer come in the order of its calls, whichever is there first', async () => {
    let secondIsDone = () => {};
    const afterSecond = new Promise<void>((resolve) => (secondIsDone = resolve));
    const wait = tool({
      inputSchema: z.object({ call: z.number() }),
      execute: async ({ call }) => {
        if (call === 1) await afterSecond;
        else secondIsDone();
        return `after ${call}`;
      },
    });
    const calls = [
      { name: 'wait', input: { call: 1 } },
      { name: 'wait', input: { call: 2 } },
    ];
    const model = scriptedModel([{ toolCalls: calls }, { text: 'ok' }]);
    await createDeepFactorAgent({ model, tools: { wait } }).loop({ prompt: 'go' });
    expect(lastTold(model.calls[1])).toMatch(/after 1".*after 2"/);
    expect(model.calls[1]?.prompt.filter(({ role }) => role === 'tool')).toHaveLength(1);
  });

  it('a tool that hears nothing of a stop does not hold it up', async () => {
    const hangs = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => undefined) });
    const model = scriptedModel([{ toolCalls: [{ name: 'hangs' }] }]);
    const agent = createDeepFactorAgent({ model, tools: { hangs } });
    const stop = new AbortController();
    agent.subscribe((event) => {
      if (event.type === 'tool-called') setImmediate(() => stop.abort());
    });
    const result = await agent.loop({ prompt: 'go', signal: stop.signal });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'operator' });
  });

  it.each(['skip', 'timeout'] as const)(
    'a tool that hangs until the %s is not called again: the model is told',
    async (how) => {
      const hangs = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => undefined) });
      const model = scriptedModel([{ toolCalls: [{ name: 'hangs' }] }, { text: 'something else, then' }]);
      const agent = createDeepFactorAgent({
        model,
        tools: { hangs },
        ...(how === 'timeout' ? { iterationTimeout: '100ms' } : {}),
      });
      agent.subscribe((event) => {
        if (how === 'skip' && event.type === 'tool-called') setImmediate(() => void agent.send({ type: 'skip' }));
      });
      const result = await agent.loop({ prompt: 'go' });
      expect(result).toMatchObject({ status: 'completed', iterations: 2 });
      expect(lastTold(model.calls[1])).toContain(how === 'skip' ? 'skipped' : 'in time');
    },
  );

  it('a model that answers too late is an iteration that timed out', async () => {
    const model = scriptedModel([() => new Promise(() => undefined)]);
    const agent = createDeepFactorAgent({ model, idleTimeout: '50ms', stopWhen: maxIterations(1) });
    const result = await agent.loop({ prompt: 'go' });
    expect(result.state.recent[0]).toMatchObject({ outcome: 'timed-out' });
  });
});

describe('what ends a run', () => {
  it('a budget: after the call that crossed it, before the next one', async () => {
    const model = scriptedModel([ADD]);
    const agent = createDeepFactorAgent({ model, tools: { add }, stopWhen: [maxCost(0.001), maxIterations(3)] });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'limit' });
    expect(model.calls).toHaveLength(3);
    expect(result.costUsd).toBeCloseTo(0.00135);
  });

  it('a budget whose model has no price stops after the first call', async () => {
    const model = scriptedModel([{ text: 'hm' }], { modelId: 'nobody-knows-me' });
    const agent = createDeepFactorAgent({ model, stopWhen: maxCost(1), verifyCompletion: () => false });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'blocked' });
    expect(model.calls).toHaveLength(1);
  });

  it('a goal on the last permitted iteration is a goal, and what it would take reaches the model', async () => {
    const model = scriptedModel([{ text: 'half' }, { text: 'all' }]);
    const long = `the second half is missing: ${'x'.repeat(1000)}!`;
    const agent = createDeepFactorAgent({
      model,
      stopWhen: maxIterations(2),
      verifyCompletion: ({ text, iteration, messages }) => ({
        complete: text === 'all' && iteration === 2 && messages.length === 4,
        reason: long,
      }),
    });
    const result = await agent.loop({ prompt: 'Do all of it.' });
    expect(result).toMatchObject({ status: 'completed', stopClass: 'goal', iterations: 2 });
    expect(lastTold(model.calls[1])).toContain(long);
    // In one conversation the task is told once.
    expect(lastTold(model.calls[1])).not.toContain('Do all of it.');
  });

  it('a check that throws is no goal, and the model is not told its words', async () => {
    const model = scriptedModel([{ text: 'done' }]);
    const agent = createDeepFactorAgent({
      model,
      stopWhen: [maxIterations(2)],
      verifyCompletion: () => {
        throw new Error('secret database is down');
      },
    });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'limit', iterations: 2 });
    expect(lastTold(model.calls[1])).toContain('The check whether the task is done failed');
    expect(lastTold(model.calls[1])).not.toContain('secret database');
    expect(JSON.stringify(result.state.latest.observation.probes)).toContain('secret database is down');
  });

  it('a reason that verifyCompletion gives for a yes is in the result and in the record', async () => {
    const model = scriptedModel([{ text: 'ready' }]);
    const verifyCompletion = () => ({ complete: true, reason: 'the sum is 3' });
    const { stopReason, reasons, state } = await createDeepFactorAgent({ model, verifyCompletion }).loop({
      prompt: 'go',
    });
    expect(stopReason).toMatch(/^verifyCompletion .*: the sum is 3$/);
    expect(reasons[0]?.message).toBe(stopReason);
    expect(endOf(state)?.reasons[0]?.message).toBe(stopReason);
  });

  it('a goal is asked as often as `confirm` says', async () => {
    let asked = 0;
    const answers = [true, false, true, true];
    const model = scriptedModel([{ text: 'done' }]);
    const agent = createDeepFactorAgent({ model, confirm: 2, verifyCompletion: () => answers[asked++] ?? false });
    expect(await agent.loop({ prompt: 'go' })).toMatchObject({ status: 'completed', iterations: 2 });
    expect(asked).toBe(4);
  });

  it('named functions stop, by the class that they are wrapped in', async () => {
    const enough = () => ({ met: true, reason: 'it is enough' });
    const model = scriptedModel([{ text: 'done' }]);
    const run = (stopWhen: Parameters<typeof createDeepFactorAgent>[0]['stopWhen']) =>
      createDeepFactorAgent({
        model,
        workingDir: folder,
        journal: false,
        stopWhen,
        verifyCompletion: () => false,
      }).loop({
        prompt: 'go',
      });
    expect(await run(enough)).toMatchObject({ status: 'stopped', stopClass: 'limit', stopReason: 'it is enough' });
    expect(await run(goal(enough))).toMatchObject({ status: 'completed', stopClass: 'goal' });
    expect(await run([failure(enough)])).toMatchObject({ status: 'stopped', stopClass: 'failure' });
  });

  it('a pattern in what the model says, not in what a tool does', async () => {
    const says = tool({ inputSchema: z.object({}), execute: () => 'FINISHED' });
    const model = scriptedModel([{ toolCalls: [{ name: 'says' }] }, { text: 'well' }, { text: 'FINISHED' }]);
    const agent = createDeepFactorAgent({ model, tools: { says }, stopWhen: outputPattern('FINISHED') });
    expect(await agent.loop({ prompt: 'go' })).toMatchObject({ status: 'completed', iterations: 2 });
  });

  it.each([
    [refusal(402, 'Payment required'), 'blocked'],
    [refusal(401, 'invalid x-api-key'), 'blocked'],
    [refusal(400, 'odd'), 'failure'],
  ])('%s', async (error, stopClass) => {
    const model = scriptedModel([{ error }]);
    const result = await createDeepFactorAgent({ model, stopWhen: maxCost(1) }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass });
    expect(result.costUsd).toBe(0);
  });
});

describe('what cannot be', () => {
  it('conditions that look at a directory need one, for the compiler and for the run', () => {
    const model = scriptedModel([{}]);
    // @ts-expect-error -- there is no working directory
    expect(() => createDeepFactorAgent({ model, stopWhen: fileCreated('x') })).toThrow('set `workingDir`');
    expect(() =>
      // @ts-expect-error -- nor inside another condition
      createDeepFactorAgent({ model, stopWhen: [maxCost(1), goal(not(fileCreated('x')))] }),
    ).toThrow('file_created');
    expect(() => createDeepFactorAgent({ model, workingDir: folder, stopWhen: fileCreated('x') })).not.toThrow();
    expect(() => createDeepFactorAgent({ model, stopWhen: allOf(maxCost(1), not(maxIterations(2))) })).not.toThrow();
  });

  it('a tool that nobody runs is refused before anything is spent', () => {
    const client = { inputSchema: jsonSchema({ type: 'object' }) } as unknown as typeof add;
    const model = scriptedModel([{}]);
    expect(() => createDeepFactorAgent({ model, tools: { client } })).toThrow('tools.client');
  });

  it('two runs of one agent at once, and an answer that nobody asked for', async () => {
    let answer: (said: { readonly text: string }) => void = () => undefined;
    const model = scriptedModel([() => new Promise((resolve) => (answer = resolve))]);
    const agent = createDeepFactorAgent({ model });
    const running = agent.loop({ prompt: 'go' });
    await expect(agent.loop({ prompt: 'go' })).rejects.toMatchObject({ code: 'AlreadyRunning' });
    await expect(agent.answer('42')).rejects.toMatchObject({ code: 'InvalidState' });
    await expect.poll(() => model.calls.length).toBe(1);
    answer({ text: 'done' });
    expect(await running).toMatchObject({ status: 'completed' });
    await expect(agent.loop({ prompt: ' ' })).rejects.toMatchObject({ code: 'ConfigError' });
    await expect(agent.resume('agent_x')).rejects.toMatchObject({ code: 'ConfigError' });
  });
});

describe('with a working directory', () => {
  it('sees what a tool has written, and keeps the record there', async () => {
    const write = tool({
      inputSchema: z.object({}),
      execute: () => {
        writeFileSync(join(folder, 'DONE.md'), 'yes');
        return 'written';
      },
    });
    const model = scriptedModel([{ text: 'not yet' }, { toolCalls: [{ name: 'write' }] }, { text: 'written' }]);
    const agent = createDeepFactorAgent({
      model,
      tools: { write },
      workingDir: folder,
      stopWhen: fileCreated('DONE.md'),
    });
    const result = await agent.loop({ prompt: 'Write DONE.md.' });
    expect(result).toMatchObject({ status: 'completed', stopClass: 'goal', iterations: 2 });
    const journal = readFileSync(join(folder, '.ralph', 'runs', result.runId, 'journal.jsonl'), 'utf8');
    expect(journal).toContain('"kind":"agent"');
    expect(journal).toContain('message-recorded');
  });
});

describe('the context', () => {
  it('above the redline it is summed up, on record, and a fresh conversation goes on from there', async () => {
    const model = scriptedModel([
      { text: 'half', usage: { input: 900, output: 50 } },
      { text: 'SUMMARY: half is done' },
      { text: 'all', usage: { input: 100, output: 5 } },
    ]);
    const agent = createDeepFactorAgent({
      model,
      contextManagement: { contextWindow: 1000, redlinePercent: 80 },
      verifyCompletion: ({ text }) => ({ complete: text === 'all', reason: 'half is missing' }),
    });
    const events: RunEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    const result = await agent.loop({ prompt: 'Do all of it.' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2 });
    expect(model.calls).toHaveLength(3);
    const last = model.calls[2]?.prompt ?? [];
    expect(last).toHaveLength(1);
    expect(lastTold(model.calls[2])).toMatch(/Do all of it\..*SUMMARY: half is done.*half is missing/);
    expect(events.find(({ type }) => type === 'reboot-completed')).toMatchObject({ handover: 'SUMMARY: half is done' });
    // The summary is paid for, too.
    expect(result.usage['claude-sonnet-4-5']).toMatchObject({ inputTokens: 1100, outputTokens: 65 });
  });

  it('a turn that fills it is broken off before the next call, and a summary of the caller costs nothing', async () => {
    const model = scriptedModel([{ ...ADD, usage: { input: 900, output: 50 } }, { text: 'all' }]);
    const agent = createDeepFactorAgent({
      model,
      tools: { add },
      contextManagement: {
        contextWindow: 1000,
        summarize: (messages) => `${messages.length} messages`,
      },
    });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2 });
    expect(lastTold(model.calls[1])).toContain('3 messages');
  });

  it('a conversation that the provider finds too long is given up, although nobody has told its size', async () => {
    const model = scriptedModel([
      ADD,
      { error: refusal(400, 'prompt is too long: 210000 tokens') },
      { error: refusal(400, 'prompt is too long: 210000 tokens') },
      { text: 'all' },
    ]);
    const result = await createDeepFactorAgent({ model, tools: { add } }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2 });
    expect(model.calls[3]?.prompt).toHaveLength(1);
  });
});

describe('a check that never answers', () => {
  const hangs = (signals: (AbortSignal | undefined)[]) => (signal: AbortSignal | undefined) => {
    signals.push(signal);
    return new Promise<boolean>(() => undefined);
  };

  it('does not outlive iterationTimeout as verifyCompletion, and hears that it is given up', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const hang = hangs(signals);
    const result = await createDeepFactorAgent({
      model: scriptedModel([{ text: 'done' }]),
      iterationTimeout: '200ms',
      stopWhen: maxIterations(1),
      verifyCompletion: ({ signal }) => hang(signal),
    }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'limit', iterations: 1 });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(JSON.stringify(result.state.latest.observation.probes)).toContain('did not answer within 200ms');
  });

  it('does not outlive maxDuration as verifyCompletion', async () => {
    const hang = hangs([]);
    const result = await createDeepFactorAgent({
      model: scriptedModel([{ text: 'done' }]),
      stopWhen: maxDuration('300ms'),
      verifyCompletion: ({ signal }) => hang(signal),
    }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'limit' });
    expect(result.stopReason).toContain('300ms');
  });

  it('a turn that maxDuration cuts off is reported as that, not as the last of its iterations', async () => {
    const hang = hangs([]);
    const wait = tool({ inputSchema: z.object({}), execute: (_input, { abortSignal }) => hang(abortSignal) });
    const model = scriptedModel([{ toolCalls: [{ name: 'wait' }] }]);
    const stopWhen = [maxIterations(1), maxDuration('300ms')];
    const { stopReason, reasons } = await createDeepFactorAgent({ model, tools: { wait }, stopWhen }).loop({
      prompt: 'go',
    });
    expect(stopReason).toMatch(/ of 300ms active$/);
    expect(reasons.map(({ condition }) => condition?.type)).toEqual(['max_duration', 'max_iterations']);
  });

  it('does not outlive maxDuration as functions in stopWhen', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const hang = hangs(signals);
    const one = (_context: unknown, signal?: AbortSignal) => hang(signal);
    const other = (_context: unknown, signal?: AbortSignal) => hang(signal);
    const result = await createDeepFactorAgent({
      model: scriptedModel([{ text: 'done' }]),
      stopWhen: [maxDuration('300ms'), failure(one), failure(other)],
      verifyCompletion: () => false,
    }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'limit' });
    expect(signals.every((signal) => signal?.aborted)).toBe(true);
  });
});

it.each(['stop', 'other', 'length', 'error', 'content-filter', 'tool-calls'] as const)(
  'an empty answer that ends with %s is not a goal, although nobody verifies',
  async (finishReason) => {
    const model = scriptedModel([{ text: ' \n', finishReason }, { text: 'It is done.' }]);
    const result = await createDeepFactorAgent({ model, stopWhen: maxIterations(3) }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 2, text: 'It is done.' });
    const none = await createDeepFactorAgent({
      model: scriptedModel([{ finishReason }]),
      stopWhen: maxIterations(2),
    }).loop({ prompt: 'go' });
    expect(none.stopClass).not.toBe('goal');
  },
);

it('a model that answered nothing is asked for an answer', async () => {
  const model = scriptedModel([ADD, {}, { text: 'It is 3.' }]);
  await createDeepFactorAgent({ model, tools: { add } }).loop({ prompt: 'go' });
  expect(lastTold(model.calls[2])).toContain('answer was empty');
});

describe('going on', () => {
  it('in memory, with a limit raised: the call whose tool was not run is not made again', async () => {
    const model = scriptedModel([ADD, ADD, { text: 'It is 3.' }]);
    const agent = createDeepFactorAgent({ model, tools: { add }, stopWhen: maxCost(0.0008) });
    const first = await agent.loop({ prompt: 'go' });
    expect(first).toMatchObject({ status: 'stopped', stopClass: 'limit' });
    expect(model.calls).toHaveLength(2);
    await expect(agent.resume(first.runId)).rejects.toMatchObject({ code: 'ConfigError' });
    const second = await agent.resume(first.runId, { raise: [maxCost(1)] });
    expect(second).toMatchObject({ status: 'completed', text: 'It is 3.' });
    expect(model.calls).toHaveLength(3);
  });

  it('a tool that a stop has cut off is called again with the same id, and its complaint is no result', async () => {
    const ids: string[] = [];
    const slow = tool({
      inputSchema: z.object({}),
      execute: async (_, { toolCallId, abortSignal }) => {
        ids.push(toolCallId);
        if (ids.length > 1) return 'done';
        await new Promise((_resolve, reject) =>
          abortSignal?.addEventListener('abort', () => reject(new Error('cut off'))),
        );
        return 'never';
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'slow', id: 'x7' }] }, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools: { slow } });
    agent.subscribe((event) => {
      if (event.type === 'tool-called' && ids.length === 0)
        setImmediate(() => void agent.send({ type: 'stop', now: true }));
    });
    const { runId, stopClass } = await agent.loop({ prompt: 'go' });
    expect(stopClass).toBe('operator');
    expect(await agent.resume(runId)).toMatchObject({ status: 'completed', text: 'ok' });
    expect(ids).toEqual(['x7', 'x7']);
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('cut off');
  });

  it('after the last permitted iteration the model still hears what it would take', async () => {
    const model = scriptedModel([{ text: 'half' }, { text: 'all' }]);
    const agent = createDeepFactorAgent({
      model,
      stopWhen: maxIterations(1),
      verifyCompletion: ({ text }) => ({ complete: text === 'all', reason: 'half is missing' }),
    });
    const { runId } = await agent.loop({ prompt: 'go' });
    expect(await agent.resume(runId, { raise: [maxIterations(5)] })).toMatchObject({ status: 'completed' });
    expect(lastTold(model.calls[1])).toContain('half is missing');
  });

  it('what an operator says reaches the model with its next message, once', async () => {
    const model = scriptedModel([
      async () => {
        await agent.send({ type: 'steer', text: 'mind the gap' });
        return { text: 'a' };
      },
      { text: 'b' },
    ]);
    const agent = createDeepFactorAgent({ model, stopWhen: maxIterations(3), verifyCompletion: () => false });
    await agent.loop({ prompt: 'go' });
    const told = model.calls.map((call) => JSON.stringify(call.prompt).split('mind the gap').length - 1);
    expect(told).toEqual([0, 1, 1]);
  });

  it('a large message is in a file of its own, whole and checked', async () => {
    const home = mkdtempSync(join(tmpdir(), 'pawl-agent-large-'));
    const large = 'x'.repeat(1_500_000);
    const read = tool({ inputSchema: z.object({}), execute: () => large });
    const model = scriptedModel([{ toolCalls: [{ name: 'read' }] }, { toolCalls: [{ name: 'read' }] }, { text: 'ok' }]);
    const make = () => createDeepFactorAgent({ model, tools: { read }, journal: home, stopWhen: maxCost(0.0008) });
    const { runId } = await make().loop({ prompt: 'go' });
    const journal = readFileSync(join(home, '.ralph', 'runs', runId, 'journal.jsonl'), 'utf8');
    expect(journal.length).toBeLessThan(200_000);
    const resumed = await make().resume(runId, { raise: [maxCost(1)] });
    expect(resumed).toMatchObject({ status: 'completed', text: 'ok' });
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain(large);
    rmSync(home, { recursive: true, force: true });
  });

  it('a run in a given journal goes on from a copy of its events', async () => {
    const image = tool({
      inputSchema: z.object({}),
      execute: () => 'png',
      toModelOutput: () => ({ type: 'content', value: [{ type: 'text', text: 'see' }] }),
    });
    const model = scriptedModel([
      { toolCalls: [{ name: 'image' }] },
      { toolCalls: [{ name: 'image' }] },
      { text: 'ok' },
    ]);
    const journal = memoryJournal();
    const options = { model, tools: { image }, stopWhen: maxCost(0.0008) } as const;
    const { runId } = await createDeepFactorAgent({ ...options, journal }).loop({ prompt: 'go' });
    const again = createDeepFactorAgent({ ...options, journal: memoryJournal({ events: journal.events }) });
    expect(await again.resume(runId, { raise: [maxCost(1)] })).toMatchObject({ status: 'completed', text: 'ok' });
  });
});
