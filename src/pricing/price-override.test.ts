import { describe, expect, it } from 'vitest';
import { calculateCost } from './calculate-cost.js';
import { priceUsage } from './price-usage.js';

const MILLION = { inputTokens: 1_000_000, outputTokens: 0 };

describe('prices of the user', () => {
  it('win over the list', () => {
    const overrides = { 'gpt-4o': { input: 7, output: 8 } };
    expect(priceUsage(MILLION, 'gpt-4o', { overrides })).toEqual({
      costUsd: 7,
      rates: { input: 7, output: 8 },
      priceName: 'gpt-4o',
    });
  });

  it('price a model that no list knows', () => {
    expect(calculateCost(MILLION, 'my-model', { overrides: { 'my-model': { input: 1, output: 1 } } })).toBe(1);
  });

  it('leave other models to the list', () => {
    expect(calculateCost(MILLION, 'gpt-4o', { overrides: { 'gpt-4o-mini': { input: 7, output: 8 } } })).toBe(2.5);
  });

  it('without cache rates charge cached tokens as input', () => {
    const usage = { ...MILLION, cacheReadTokens: 500_000, cacheWriteTokens: 500_000 };
    expect(calculateCost(usage, 'my-model', { overrides: { 'my-model': { input: 2, output: 1 } } })).toBe(2);
  });

  it('with cache rates charge them', () => {
    const overrides = { 'my-model': { input: 2, output: 1, cacheRead: 0.2, cacheWrite: 4 } };
    const usage = { ...MILLION, cacheReadTokens: 500_000, cacheWriteTokens: 250_000 };
    expect(calculateCost(usage, 'my-model', { overrides })).toBeCloseTo(0.5 + 0.1 + 1, 12);
  });

  it.each([
    ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-sonnet-4.5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5[1m]'],
    ['gpt-4o', 'azure/gpt-4o-2024-11-20'],
  ])('given for %s hold for %s', (key, model) => {
    expect(calculateCost(MILLION, model, { overrides: { [key]: { input: 99, output: 99 } } })).toBe(99);
  });

  it.each([
    ['gpt-4o-2024-05-13', 'gpt-4o'],
    ['azure/gpt-4o', 'openai/gpt-4o'],
    ['azure/gpt-4o', 'gpt-4o'],
    ['gpt-4o', 'gpt-4o-mini'],
    ['claude-opus-4', 'claude-opus-4-5'],
  ])('given for %s do not hold for %s', (key, model) => {
    expect(priceUsage(MILLION, model, { overrides: { [key]: { input: 99, output: 99 } } })?.rates.input).not.toBe(99);
  });

  it('the fullest name that fits wins', () => {
    const overrides = { 'gpt-4o': { input: 1, output: 1 }, 'openai/gpt-4o-2024-08-06': { input: 2, output: 2 } };
    expect(calculateCost(MILLION, 'gpt-4o-2024-08-06', { overrides })).toBe(2);
    expect(calculateCost(MILLION, 'gpt-4o-2024-11-20', { overrides })).toBe(1);
  });

  it('names of built-in properties are not prices', () => {
    expect(calculateCost(MILLION, 'toString', { overrides: {} })).toBeUndefined();
  });

  it('a rate that is no number gives no cost', () => {
    const overrides = { 'my-model': { input: Number.NaN, output: 1 } };
    expect(calculateCost(MILLION, 'my-model', { overrides })).toBeUndefined();
  });
});
