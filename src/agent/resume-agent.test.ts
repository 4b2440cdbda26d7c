import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryJournal } from '../journal/memory-journal.js';
import type { RunEvent } from '../model/run-event.js';
import { replay } from '../replay/replay.js';
import { explain } from '../replay/explain.js';
import { goal, maxCost, maxIterations, maxTokens, outputPattern } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import type { DeepFactorAgentOptions } from './agent-options.js';
import { createDeepFactorAgent } from './index.js';

/** $0.05 for each call. */
const turn = { text: 'not yet', usage: { input: 10_000, output: 0 } };
const prices = { priced: { input: 5, output: 5 } };
const never = () => false;

type Options = Omit<DeepFactorAgentOptions, 'model' | 'journal' | 'workingDir'>;

/** The same run in another process: only the record is left, and the code may have changed. */
function scene() {
  const model = scriptedModel([turn], { modelId: 'priced' });
  let events: readonly RunEvent[] = [];
  const warnings: string[] = [];
  const agentWith = (options: Options) => {
    const journal = memoryJournal({ events });
    const agent = createDeepFactorAgent({
      model,
      prices,
      journal,
      onWarning: (message: string) => warnings.push(message),
      ...options,
    } as DeepFactorAgentOptions);
    return { agent, keep: () => (events = journal.events) };
  };
  return {
    model,
    warnings,
    events: () => events,
    loop: async (options: Options) => {
      const { agent, keep } = agentWith(options);
      const result = await agent.loop({ prompt: 'go' });
      keep();
      return result;
    },
    resume: async (
      runId: string,
      options: Options,
      raise: readonly ReturnType<typeof maxCost | typeof maxIterations>[] = [],
    ) => {
      const { agent, keep } = agentWith(options);
      const result = await agent.resume(runId, { raise });
      keep();
      return result;
    },
  };
}

describe('a run that is resumed by changed code', () => {
  it('stops at the lower budget that the code gives now', async () => {
    const { model, loop, resume, events, warnings } = scene();
    const first = await loop({ stopWhen: [maxIterations(2), maxCost(10)], verifyCompletion: never });
    expect(first).toMatchObject({ stopClass: 'limit', costUsd: 0.1 });
    const second = await resume(first.runId, { stopWhen: [maxIterations(2), maxCost(0.2)], verifyCompletion: never }, [
      maxIterations(20),
    ]);
    expect(second).toMatchObject({ stopClass: 'limit', costUsd: 0.2, iterations: 4 });
    expect(second.stopReason).toContain('$0.20');
    expect(model.calls).toHaveLength(4);
    expect(events().find(({ type }) => type === 'run-resumed')).toMatchObject({
      changes: ['- limit: after $10.00', '+ limit: after $0.20'],
    });
    expect(warnings.join('\n')).toContain('after $0.20');
  });

  it('is refused when the limit that the code gives now is exceeded already', async () => {
    const { model, loop, resume } = scene();
    const { runId } = await loop({ stopWhen: [maxIterations(2), maxCost(10)], verifyCompletion: never });
    const lower = { stopWhen: [maxIterations(2), maxCost(0.05)], verifyCompletion: never };
    await expect(resume(runId, lower, [maxIterations(20)])).rejects.toMatchObject({ code: 'ConfigError' });
    expect(model.calls).toHaveLength(2);
  });

  it('can end when verifyCompletion is removed', async () => {
    const { model, loop, resume } = scene();
    const { runId } = await loop({ stopWhen: maxIterations(1), verifyCompletion: never });
    const result = await resume(runId, { stopWhen: maxIterations(30) });
    expect(result).toMatchObject({ status: 'completed', stopClass: 'goal', iterations: 2 });
    expect(model.calls).toHaveLength(2);
  });

  it('asks the verifyCompletion that was added', async () => {
    const { loop, resume } = scene();
    const { runId } = await loop({ stopWhen: [goal(outputPattern('DONE')), maxCost(0.04)] });
    const asked: string[] = [];
    const result = await resume(runId, {
      stopWhen: [maxCost(1)],
      verifyCompletion: ({ text }) => asked.push(text) > 1,
    });
    expect(result).toMatchObject({ status: 'completed' });
    expect(asked.length).toBe(2);
  });

  it('keeps a limit that was raised earlier when the code still gives the old one', async () => {
    const { loop, resume } = scene();
    const code = { stopWhen: [maxIterations(2), maxCost(0.2)], verifyCompletion: never };
    const { runId } = await loop(code);
    expect(await resume(runId, code, [maxIterations(20)])).toMatchObject({ iterations: 4, stopClass: 'limit' });
    const wider = { ...code, stopWhen: [maxIterations(2), maxCost(0.3)] };
    expect(await resume(runId, wider)).toMatchObject({ iterations: 6, stopClass: 'limit' });
  });

  it('records and reports changed instructions, tools and timeouts', async () => {
    const { loop, resume, events, warnings } = scene();
    const look = (description: string) => tool({ description, inputSchema: z.object({}), execute: () => 'x' });
    const { runId } = await loop({
      stopWhen: maxIterations(1),
      verifyCompletion: never,
      instructions: 'Be brief.',
      tools: { look: look('Looks'), gone: look('Gone') },
    });
    await resume(runId, {
      stopWhen: maxIterations(2),
      verifyCompletion: never,
      instructions: 'Be long.',
      tools: { look: look('Looks twice'), more: look('More') },
      iterationTimeout: '5m',
    });
    const [resumed] = events().filter(({ type }) => type === 'run-resumed');
    expect(resumed).toMatchObject({
      changes: [
        '- limit: after 1 iteration',
        '+ limit: after 2 iterations',
        '~ iterationTimeoutMs: 1800000 is now 300000',
        '~ instructions: changed',
        '- tools.gone',
        '~ tools.look: changed',
        '+ tools.more',
      ],
    });
    expect(warnings.join('\n')).toContain('~ instructions: changed');
  });

  it('records nothing when the code is the same', async () => {
    const { loop, resume, events, warnings } = scene();
    const code = {
      stopWhen: [maxIterations(1), maxTokens(1_000_000)],
      verifyCompletion: never,
      instructions: 'Be brief.',
    };
    const { runId } = await loop(code);
    await resume(runId, code, [maxIterations(2)]);
    const [resumed] = events().filter(({ type }) => type === 'run-resumed');
    expect(resumed).not.toHaveProperty('changes');
    expect(resumed).not.toHaveProperty('spec');
    expect(warnings).toEqual([]);
  });

  it('is replayed and explained by the limits that held at each time', async () => {
    const { loop, resume, events } = scene();
    const { runId } = await loop({ stopWhen: maxIterations(1), verifyCompletion: never });
    await resume(runId, { stopWhen: maxCost(0.15), verifyCompletion: never });
    const { verdicts, policy } = replay(events());
    expect(verdicts.map(({ isSame }) => isSame)).not.toContain(false);
    expect(policy.conditions).toEqual([maxCost(0.15)]);
    expect(explain(events())?.reasons[0]?.message).toContain('$0.15');
  });
});
