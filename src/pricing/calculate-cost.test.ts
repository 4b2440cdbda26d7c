import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRates } from '../model/run-spec.js';
import { calculateCost } from './calculate-cost.js';
import { priceUsage } from './price-usage.js';

/** From the makers' public price lists, US dollars per million tokens. */
const PUBLIC_PRICES: readonly (readonly [string, ModelRates])[] = [
  ['claude-sonnet-4-5', { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 }],
  ['claude-opus-4-5', { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, cacheWriteHour: 10 }],
  ['claude-haiku-4-5', { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 }],
  ['gpt-4o', { input: 2.5, output: 10, cacheRead: 1.25 }],
  ['gpt-4o-mini', { input: 0.15, output: 0.6, cacheRead: 0.075 }],
  ['gemini-2.5-pro', { input: 1.25, output: 10, cacheRead: 0.125 }],
  ['gemini-2.5-flash', { input: 0.3, output: 2.5, cacheRead: 0.03 }],
];

describe('calculateCost', () => {
  it.each([
    ['claude-sonnet-4-5', 0.6],
    ['claude-opus-4-5', 1],
    ['claude-haiku-4-5', 0.2],
    ['gpt-4o', 0.45],
    ['gpt-4o-mini', 0.027],
    ['gemini-2.5-pro', 0.325],
    ['gemini-2.5-flash', 0.08],
  ])('100,000 tokens in and 20,000 out on %s cost $%d', (model, costUsd) => {
    expect(calculateCost({ inputTokens: 100_000, outputTokens: 20_000 }, model)).toBeCloseTo(costUsd, 12);
  });

  it.each([
    ['claude-sonnet-4-5', 0.0255 + 0.01875 + 0.15 + 0.015],
    ['claude-opus-4-5', 0.0425 + 0.03125 + 0.25 + 0.025],
    ['claude-haiku-4-5', 0.0085 + 0.00625 + 0.05 + 0.005],
    ['gpt-4o', 0.10625 + 0.0125 + 0.1 + 0.0125],
    ['gpt-4o-mini', 0.006375 + 0.00075 + 0.006 + 0.00075],
    ['gemini-2.5-pro', 0.010625 + 0.00625 + 0.1 + 0.00625],
    ['gemini-2.5-flash', 0.00255 + 0.0015 + 0.025 + 0.0015],
  ])('[c37] of 95,000 tokens in, 85,000 read from and 5,000 written to the cache: %s', (model, costUsd) => {
    const usage = { inputTokens: 95_000, cacheReadTokens: 85_000, cacheWriteTokens: 5_000, outputTokens: 10_000 };
    expect(calculateCost(usage, model)).toBeCloseTo(costUsd, 12);
  });

  it.each(PUBLIC_PRICES)('the rates used for %s are those of the public list', (model, rates) => {
    expect(priceUsage({ inputTokens: 1, outputTokens: 1 }, model)?.rates).toEqual(rates);
  });

  it.each([
    ['claude-sonnet-4-5', 200_000, 0.6 + 0.15],
    ['claude-sonnet-4-5', 200_001, 1.200006 + 0.225],
    ['gemini-2.5-pro', 200_000, 0.25 + 0.1],
    ['gemini-2.5-pro', 200_001, 0.5000025 + 0.15],
    ['gpt-4o', 300_000, 0.75 + 0.1],
  ])('%s with %d tokens in takes the rates of that length', (model, inputTokens, costUsd) => {
    expect(calculateCost({ inputTokens, outputTokens: 10_000 }, model)).toBeCloseTo(costUsd, 12);
  });

  it('tokens from the cache count towards a long context and have its rates', () => {
    const usage = { inputTokens: 300_000, cacheReadTokens: 200_000, cacheWriteTokens: 100_000, outputTokens: 0 };
    expect(calculateCost(usage, 'claude-sonnet-4-5')).toBeCloseTo(0.12 + 0.75, 12);
  });

  it.each([
    ['an unknown model', { inputTokens: 1, outputTokens: 1 }, 'made-up-1'],
    ['no model', { inputTokens: 1, outputTokens: 1 }, ''],
    ['no input count', { outputTokens: 1 }, 'gpt-4o'],
    ['no output count', { inputTokens: 1 }, 'gpt-4o'],
    ['only a total', { totalTokens: 5 }, 'gpt-4o'],
    ['a negative count', { inputTokens: -1, outputTokens: 1 }, 'gpt-4o'],
    ['a negative cache count', { inputTokens: 1, outputTokens: 1, cacheReadTokens: -1 }, 'gpt-4o'],
    ['a cache count that is no number', { inputTokens: 1, outputTokens: 1, cacheWriteTokens: Number.NaN }, 'gpt-4o'],
    ['a count that is no number', { inputTokens: 1, outputTokens: Number.NaN }, 'gpt-4o'],
    ['an infinite count', { inputTokens: 1, outputTokens: 1, cacheReadTokens: Number.POSITIVE_INFINITY }, 'gpt-4o'],
    ['a model that is listed without a price', { inputTokens: 1, outputTokens: 1 }, 'github-copilot/gpt-4o'],
    ['a model without a price for output', { inputTokens: 1, outputTokens: 1 }, 'openai/text-embedding-3-small'],
    ['a model priced by request too', { inputTokens: 1, outputTokens: 1 }, 'perplexity/sonar'],
  ])('%s has no cost: unknown, not 0', (_case, usage, model) => {
    expect(calculateCost(usage, model)).toBeUndefined();
  });

  it('nothing used costs nothing', () => {
    expect(calculateCost({ inputTokens: 0, outputTokens: 0 }, 'gpt-4o')).toBe(0);
  });

  it('cache parts larger than the input are charged in full', () => {
    const usage = { inputTokens: 10, cacheReadTokens: 100_000, cacheWriteTokens: 100_000, outputTokens: 0 };
    expect(calculateCost(usage, 'claude-haiku-4-5')).toBeCloseTo(0.01 + 0.125, 12);
  });

  it('a price that changed is taken from the time of the request', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    expect(calculateCost(usage, 'o3', { at: new Date('2025-06-01') })).toBe(10);
    expect(calculateCost(usage, 'o3', { at: new Date('2025-07-01') })).toBe(2);
  });
});

describe('laws of cost', () => {
  const model = fc.constantFrom(...PUBLIC_PRICES.map(([name]) => name));
  const count = fc.nat({ max: 400_000 });
  const parts = fc.record({ uncached: count, read: count, write: count, output: count });
  type Parts = { uncached: number; read: number; write: number; output: number };
  const costOf = (part: Parts, name: string) =>
    calculateCost(
      {
        inputTokens: part.uncached + part.read + part.write,
        cacheReadTokens: part.read,
        cacheWriteTokens: part.write,
        outputTokens: part.output,
      },
      name,
    ) ?? Number.NaN;

  it('more of anything never costs less', () => {
    const field = fc.constantFrom<keyof Parts>('uncached', 'read', 'write', 'output');
    fc.assert(
      fc.property(parts, model, field, count, (part, name, grown, by) => {
        expect(costOf({ ...part, [grown]: part[grown] + by }, name)).toBeGreaterThanOrEqual(costOf(part, name));
      }),
    );
  });

  it('any counts at all give a finite cost of at least nothing, and at least that of the parts', () => {
    fc.assert(
      fc.property(count, count, count, count, model, (inputTokens, cacheReadTokens, cacheWriteTokens, out, name) => {
        const cost = calculateCost({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: out }, name);
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(cost)).toBe(true);
        const onlyParts = costOf({ uncached: 0, read: cacheReadTokens, write: cacheWriteTokens, output: out }, name);
        expect(cost).toBeGreaterThanOrEqual(onlyParts * (1 - 1e-12));
      }),
    );
  });

  it('two requests of ordinary length cost as much as one of both', () => {
    const short = fc.nat({ max: 30_000 });
    const shortParts = fc.record({ uncached: short, read: short, write: short, output: short });
    fc.assert(
      fc.property(shortParts, shortParts, model, (a, b, name) => {
        const both = {
          uncached: a.uncached + b.uncached,
          read: a.read + b.read,
          write: a.write + b.write,
          output: a.output + b.output,
        };
        expect(costOf(both, name)).toBeCloseTo(costOf(a, name) + costOf(b, name), 9);
      }),
    );
  });
});

describe('a cache that is kept for an hour', () => {
  const input = { inputTokens: 1_000_000, outputTokens: 0 };
  const at = { model: 'claude-haiku-4-5' };

  it('costs twice the input to write, the ordinary one a quarter more', () => {
    expect(calculateCost({ ...input, cacheWriteTokens: 1_000_000 }, at.model)).toBeCloseTo(1.25);
    expect(
      calculateCost({ ...input, cacheWriteTokens: 1_000_000, cacheWriteHourTokens: 1_000_000 }, at.model),
    ).toBeCloseTo(2);
    expect(calculateCost({ ...input, cacheWriteTokens: 600_000, cacheWriteHourTokens: 200_000 }, at.model)).toBeCloseTo(
      0.4 + 0.5 + 0.4,
    );
  });

  it('told without the whole is a part of it all the same', () => {
    expect(calculateCost({ ...input, cacheWriteHourTokens: 500_000 }, at.model)).toBeCloseTo(0.5 + 1);
  });

  it('costs what the user says, or as much as the ordinary one', () => {
    const cost = (rates: ModelRates) =>
      calculateCost({ ...input, cacheWriteTokens: 1_000_000, cacheWriteHourTokens: 1_000_000 }, 'mine', {
        overrides: { mine: rates },
      });
    expect(cost({ input: 1, output: 1, cacheWrite: 3, cacheWriteHour: 7 })).toBeCloseTo(7);
    expect(cost({ input: 1, output: 1, cacheWrite: 3 })).toBeCloseTo(3);
    expect(cost({ input: 1, output: 1 })).toBeCloseTo(1);
  });

  it('is not told when it is no amount', () => {
    expect(calculateCost({ ...input, cacheWriteHourTokens: -1 }, at.model)).toBeUndefined();
  });
});
