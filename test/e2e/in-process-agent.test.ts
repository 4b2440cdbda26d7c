import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type LanguageModel, streamText, tool, ToolLoopAgent } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentStreamPart, createDeepFactorAgent, toAiSdkStopCondition } from '../../src/agent/index.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { calculateCost } from '../../src/pricing/calculate-cost.js';
import { maxCost, maxIterations, maxTokens } from '../../src/stop/conditions.js';
import { ModelServer } from '../support/model-server/model-server.js';
import type { ScriptedStep, ServedTokens } from '../support/model-server/step.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(steps: readonly ScriptedStep[], fallback?: ScriptedStep): Promise<ModelServer> {
  const server = await ModelServer.start({ steps, fallback });
  cleanups.push(() => server.close());
  return server;
}

const PROVIDERS: Readonly<Record<string, (server: ModelServer) => LanguageModel>> = {
  anthropic: ({ url }) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'sk-scripted' })('claude-sonnet-4-5'),
  openai: ({ url }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-scripted' }).responses('gpt-4o'),
};
const MODELS: Readonly<Record<string, string>> = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-4o' };

/** Two of them: the server takes a request with fewer for one beside the work. */
function toolbox() {
  const ran: string[] = [];
  const tools = {
    weather: tool({
      description: 'The weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }, { toolCallId }) => {
        ran.push(toolCallId);
        return { city, degrees: 21 };
      },
    }),
    clock: tool({ description: 'The time', inputSchema: z.object({}), execute: () => '12:00' }),
  };
  return { tools, ran };
}

const CALL = { tool: { name: 'weather', input: { city: 'Rome' } } } as const;

/** Hand-calculated the way the provider bills: input without its cache, and the cache at its own rates. */
function costOf({ input, output, cacheRead, cacheWrite }: ServedTokens, model: string): number {
  const usage = {
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
  return calculateCost(usage, model) ?? Number.NaN;
}

describe.each(['anthropic', 'openai'] as const)('an agent on %s over HTTP', (provider) => {
  const modelOf = (server: ModelServer) => PROVIDERS[provider]!(server);
  const name = MODELS[provider]!;

  it('calls tools and is billed what the server has served', async () => {
    const server = await serve([CALL, { text: 'It is 21 degrees.' }]);
    const { tools, ran } = toolbox();
    const agent = createDeepFactorAgent({ model: modelOf(server), tools, stopWhen: [maxCost(1), maxIterations(3)] });
    const result = await agent.loop({ prompt: 'How warm is it in Rome?' });
    expect(result).toMatchObject({ status: 'completed', text: 'It is 21 degrees.', iterations: 1 });
    expect(ran).toHaveLength(1);
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(['finished', 'finished']);
    const { input, output, cacheRead, cacheWrite } = server.spent;
    expect(result.usage[name]).toMatchObject({ inputTokens: input + cacheRead + cacheWrite, outputTokens: output });
    expect(result.costUsd).toBeCloseTo(2 * costOf(server.requests[0]!.tokens!, name), 8);
  });

  it('streams what the model says, and the tools, iteration by iteration', async () => {
    const server = await serve([CALL, { text: 'warm enough' }, { text: 'DONE now' }]);
    const { tools } = toolbox();
    const agent = createDeepFactorAgent({
      model: modelOf(server),
      tools,
      verifyCompletion: ({ text }) => text.startsWith('DONE'),
    });
    const stream = agent.stream({ prompt: 'go' });
    const parts: AgentStreamPart[] = [];
    for await (const part of stream) parts.push(part);
    const types = parts.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(types).toEqual([
      'iteration-started',
      'tool-call',
      'tool-result',
      'text-delta',
      'iteration-ended',
      'iteration-started',
      'text-delta',
      'iteration-ended',
    ]);
    const said = parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('');
    expect(said).toBe('warm enoughDONE now');
    expect(await stream.result).toMatchObject({ status: 'completed', iterations: 2, text: 'DONE now' });
  });

  it('overshoots a budget by one call at most', async () => {
    const server = await serve([], CALL);
    const { tools, ran } = toolbox();
    const one = costOf({ input: 1200, output: 40, cacheRead: 3000, cacheWrite: 800 }, name);
    const agent = createDeepFactorAgent({ model: modelOf(server), tools, stopWhen: maxCost(one * 2.5) });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'limit' });
    expect(server.requests).toHaveLength(3);
    expect(ran).toHaveLength(2);
    expect(result.costUsd).toBeCloseTo(one * 3, 8);
  });

  it.each(['overloaded', 'rate-limit-with-delay'] as const)(
    'waits out %s without an iteration, and without a word twice',
    async (fault) => {
      const server = await serve([CALL, { fault }, { text: 'there' }]);
      const { tools, ran } = toolbox();
      const agent = createDeepFactorAgent({ model: modelOf(server), tools, stopWhen: [maxCost(1)] });
      const events: RunEvent[] = [];
      agent.subscribe((event) => {
        events.push(event);
        if (event.type === 'waiting-started') setImmediate(() => void agent.send({ type: 'resume' }));
      });
      const result = await agent.loop({ prompt: 'go' });
      expect(result).toMatchObject({ status: 'completed', text: 'there', iterations: 1 });
      expect(server.requests.map(({ outcome }) => outcome)).toEqual(['finished', 'refused', 'finished']);
      expect(ran).toHaveLength(1);
      const kind = fault === 'overloaded' ? 'overload' : 'usage-limit';
      expect(events.find((event) => event.type === 'limit-hit')).toMatchObject({ kind });
      if (kind === 'usage-limit') {
        expect(events.find((event) => event.type === 'limit-hit')).toMatchObject({ resetsAt: expect.any(String) });
      }
      // A call that was refused has cost nothing.
      expect(result.costUsd).toBeCloseTo(2 * costOf(server.requests[0]!.tokens!, name), 8);
    },
  );

  it('a stream that breaks off fails the iteration, costs an unknown amount, and a budget then holds the run up', async () => {
    const server = await serve([{ fault: 'disconnect' }], { text: 'never' });
    const { tools } = toolbox();
    const agent = createDeepFactorAgent({ model: modelOf(server), tools, stopWhen: [maxCost(1)] });
    const { result } = agent.stream({ prompt: 'go' });
    expect(await result).toMatchObject({ status: 'stopped', stopClass: 'blocked' });
    expect((await result).stopReason).toContain('spend unknown');
    expect(server.requests).toHaveLength(1);
  });

  it('a stream that breaks off costs no budget where there is none, and the turn goes on', async () => {
    const server = await serve([CALL, { fault: 'disconnect' }, { text: 'there' }]);
    const { tools, ran } = toolbox();
    const agent = createDeepFactorAgent({ model: modelOf(server), tools });
    const result = await agent.stream({ prompt: 'go' }).result;
    expect(result).toMatchObject({ status: 'completed', text: 'there', iterations: 2 });
    expect(ran).toHaveLength(1);
  });

  it('a login that is refused ends the run', async () => {
    const server = await serve([{ fault: 'auth' }]);
    const { tools } = toolbox();
    const agent = createDeepFactorAgent({ model: modelOf(server), tools, stopWhen: [maxCost(1)] });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: 'blocked' });
    expect(server.requests).toHaveLength(1);
  });

  it('goes on from its folder in another process, without a call for what is on record', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-in-process-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const server = await serve([CALL, CALL, { text: 'DONE' }]);
    const { tools, ran } = toolbox();
    const make = () =>
      createDeepFactorAgent({ model: modelOf(server), tools, journal: folder, stopWhen: [maxTokens(8000)] });
    const first = await make().loop({ prompt: 'go' });
    expect(first).toMatchObject({ status: 'stopped', stopClass: 'limit' });
    expect([server.requests.length, ran.length]).toEqual([2, 1]);
    const second = await make().resume(first.runId, { raise: [maxTokens(100_000)] });
    expect(second).toMatchObject({ status: 'completed', text: 'DONE', runId: first.runId });
    expect([server.requests.length, ran.length]).toEqual([3, 2]);
    expect(second.steps).toHaveLength(3);
  });

  it('stops loops of the AI SDK itself', async () => {
    const server = await serve([], CALL);
    const { tools } = toolbox();
    const one = costOf({ input: 1200, output: 40, cacheRead: 3000, cacheWrite: 800 }, name);
    const model = modelOf(server);
    const { steps } = await generateText({
      model,
      tools,
      prompt: 'go',
      stopWhen: toAiSdkStopCondition(maxCost(one * 1.5)),
    });
    expect(steps).toHaveLength(2);
    const streamed = streamText({ model, tools, prompt: 'go', stopWhen: toAiSdkStopCondition([maxIterations(3)]) });
    await streamed.consumeStream();
    expect(await streamed.steps).toHaveLength(3);
    const looping = new ToolLoopAgent({ model, tools, stopWhen: toAiSdkStopCondition(maxTokens(6000)) });
    expect((await looping.generate({ prompt: 'go' })).steps).toHaveLength(2);
  });
});
