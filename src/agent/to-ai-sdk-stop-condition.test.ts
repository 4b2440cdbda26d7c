import { generateText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  allOf,
  anyOf,
  consecutiveFailures,
  contextAbove,
  fileCreated,
  goal,
  holdsFor,
  maxCost,
  maxCostPerDay,
  maxDuration,
  maxIterations,
  maxTokens,
  not,
  onError,
  outputPattern,
  permissionDenied,
  repeatedError,
  retryRate,
  userSignal,
} from '../stop/conditions.js';
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

  it.each([
    holdsFor(2, maxIterations(1)),
    onError(),
    contextAbove(50),
    userSignal(),
    permissionDenied(1),
    repeatedError(2),
    consecutiveFailures(2),
    retryRate(0.5),
    maxCostPerDay(1),
    { type: 'function', name: 'isQuiet' } as const,
  ])('refuses $type, which would never hold there, also inside others', (condition) => {
    const words = `${condition.type} cannot be judged in a loop of the AI SDK: use deadline, max_cost`;
    expect(() => toAiSdkStopCondition(condition)).toThrow(`conditions[0]: ${words}`);
    const inside = [maxIterations(9), allOf(maxTokens(1), anyOf(maxTokens(2), not(condition)))];
    expect(() => toAiSdkStopCondition(inside)).toThrow(`conditions[1].conditions[1].conditions[1].condition: ${words}`);
  });

  it('refuses a goal that is to be confirmed, and a list of nothing', () => {
    expect(() => toAiSdkStopCondition(goal(outputPattern('x'), { confirm: 2 }))).toThrow('conditions[0].confirm');
    expect(() => toAiSdkStopCondition([])).toThrow('none would ever stop');
  });
});
