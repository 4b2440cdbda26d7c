import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, type LanguageModelUsage, type ModelMessage } from 'ai';
import { calculateCost, maxCost, maxIterations } from 'pawl';
import { type AgentResult, createDeepFactorAgent } from 'pawl/agent';
import { type ScriptedReply, scriptedModel } from 'pawl/testing';
import { describe, expect, it } from 'vitest';
import { ROOT } from './architecture/source-file.js';

const GUIDE = readFileSync(join(ROOT, 'docs', 'guide', 'agent.md'), 'utf8');
const PROMPT = 'Count to three.';

interface Limits {
  readonly iterations: number;
  readonly costUsd: number;
}

interface End {
  readonly end: string;
  readonly iterations: number;
  /** What the loop believes that it has spent. */
  readonly costUsd: number;
}

/** The loop that checks its limits as soon as the model has answered, before it asks whether the goal is met. */
async function limitsFirst(
  replies: readonly ScriptedReply[],
  limits: Limits,
  costOf: (usage: LanguageModelUsage) => number,
  isDone: (text: string) => boolean = () => false,
): Promise<End> {
  const model = scriptedModel(replies);
  const messages: ModelMessage[] = [{ role: 'user', content: PROMPT }];
  for (let iterations = 1, costUsd = 0; ; iterations++) {
    const { text, usage } = await generateText({ model, messages });
    costUsd += costOf(usage);
    if (iterations >= limits.iterations || costUsd >= limits.costUsd) return { end: 'limit', iterations, costUsd };
    if (isDone(text)) return { end: 'goal', iterations, costUsd };
    messages.push({ role: 'assistant', content: text }, { role: 'user', content: 'Go on.' });
  }
}

function pawl(
  replies: readonly ScriptedReply[],
  limits: Limits,
  {
    modelId = 'claude-sonnet-4-5',
    isDone = () => false,
  }: { modelId?: string; isDone?: (text: string) => boolean } = {},
): Promise<AgentResult> {
  return createDeepFactorAgent({
    model: scriptedModel(replies, { modelId }),
    stopWhen: [maxIterations(limits.iterations), maxCost(limits.costUsd)],
    verifyCompletion: ({ text }) => isDone(text),
  }).loop({ prompt: PROMPT });
}

const dollars = (usd: number) => `$${usd.toFixed(3)}`;
/** Tokens of one call of a long conversation whose beginning is in the cache. */
const CACHED = { input: 100_000, cacheRead: 90_000, output: 1000 };
const trueCost = () =>
  calculateCost({ inputTokens: 100_000, cacheReadTokens: 90_000, outputTokens: 1000 }, 'claude-sonnet-4-5') ??
  Number.NaN;

describe('where loops stop differently: the figures of the guide', () => {
  it('a goal on the last permitted iteration', async () => {
    const replies = ['One.', 'One, two.', 'One, two, three.'].map((text) => ({ text }));
    const limits = { iterations: 3, costUsd: 1 };
    const isDone = (text: string) => text.includes('three');
    const other = await limitsFirst(replies, limits, () => 0, isDone);
    const own = await pawl(replies, limits, { isDone });
    expect(own.reasons.map((reason) => reason.class)).toEqual(['goal', 'limit']);
    expect(GUIDE).toContain(`| limits first | ${other.end} | ${other.iterations} |`);
    expect(GUIDE).toContain(`| Pawl | ${own.stopClass} | ${own.iterations} |`);
  });

  it('a price that nobody knows', async () => {
    const replies = [{ text: 'On it.', usage: { input: 100_000, output: 1000 } }];
    const limits = { iterations: 20, costUsd: 0.5 };
    const modelId = 'a-model-of-my-own';
    // The usual way to look a price up: what is not in the table costs nothing.
    const cost = (usage: LanguageModelUsage) => calculateCost(usage, modelId) ?? 0;
    const other = await limitsFirst(replies, limits, cost);
    const own = await pawl(replies, limits, { modelId });
    expect(own.stopReason).toContain('spend unknown');
    expect(GUIDE).toContain(
      `| unknown costs nothing | ${other.end} | ${other.iterations} | ${dollars(other.costUsd)} |`,
    );
    expect(GUIDE).toContain(`| Pawl | ${own.stopClass} | ${own.iterations} | ${own.costUsd ?? 'unknown'} |`);
  });

  it('tokens from the cache', async () => {
    const replies = [{ text: 'On it.', usage: CACHED }];
    const limits = { iterations: 100, costUsd: 1 };
    const price = (input: number, output: number) =>
      calculateCost({ inputTokens: input, outputTokens: output }, 'claude-sonnet-4-5') ?? Number.NaN;
    const all = await limitsFirst(replies, limits, ({ inputTokens = 0, outputTokens = 0 }) =>
      price(inputTokens, outputTokens),
    );
    const fresh = await limitsFirst(replies, limits, ({ inputTokenDetails, outputTokens = 0 }) =>
      price(inputTokenDetails.noCacheTokens ?? 0, outputTokens),
    );
    const own = await pawl(replies, limits);
    const row = (name: string, { iterations, costUsd }: { iterations: number; costUsd?: number | undefined }) =>
      `| ${name} | ${iterations} | ${dollars(costUsd ?? Number.NaN)} | ${dollars(iterations * trueCost())} |`;
    expect(GUIDE).toContain(row('all input at the full price', all));
    expect(GUIDE).toContain(row('the cache left out', fresh));
    expect(GUIDE).toContain(row('Pawl', own));
    expect(own.costUsd).toBeCloseTo(own.iterations * trueCost(), 9);
  });
});
