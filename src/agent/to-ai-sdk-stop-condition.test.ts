import { generateText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileCreated, maxCost, maxDuration, maxIterations, maxTokens, outputPattern } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import { toAiSdkStopCondition } from './index.js';

const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) };
const LOOK = { text: 'looking', toolCalls: [{ name: 'look' }] };

async function stepsUntil(condition: ReturnType<typeof toAiSdkStopCondition>, modelId?: string): Promise<number> {
  const script = [LOOK, LOOK, LOOK, { ...LOOK, text: 'FOUND' }, LOOK, LOOK, LOOK, { text: 'end' }];
  const model = scriptedModel(script, modelId === undefined ? {} : { modelId });
  const { steps } = await generateText({ model, tools, prompt: 'go', stopWhen: condition });
  return steps.length;
}

describe('toAiSdkStopCondition', () => {
  it('counts steps as iterations, and sums usage and cost over all of them', async () => {
    expect(await stepsUntil(toAiSdkStopCondition(maxIterations(3)))).toBe(3);
    expect(await stepsUntil(toAiSdkStopCondition(maxTokens(221)))).toBe(3);
    // $0.00045 a step.
    expect(await stepsUntil(toAiSdkStopCondition([maxIterations(7), maxCost(0.0019)]))).toBe(5);
    expect(await stepsUntil(toAiSdkStopCondition(outputPattern('FOUND')))).toBe(4);
    expect(await stepsUntil(toAiSdkStopCondition(maxDuration('1h')))).toBe(8);
  });

  it('stops at once when nobody knows what a model costs', async () => {
    expect(await stepsUntil(toAiSdkStopCondition(maxCost(100)), 'nobody-knows-me')).toBe(1);
  });

  it('refuses what a loop of the SDK cannot see', () => {
    // @ts-expect-error -- there is no working directory
    expect(() => toAiSdkStopCondition(fileCreated('x'))).toThrow('file_created');
  });
});
