import { describe, expect, it } from 'vitest';
import { MODEL_PRICING } from './model-pricing.js';

describe('MODEL_PRICING', () => {
  it('has the well-known models in US dollars per million tokens', () => {
    expect(MODEL_PRICING).toEqual({
      'claude-sonnet-4-5': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      'claude-opus-4-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
      'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
      'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
      'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
      'gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125 },
      'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03 },
    });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(MODEL_PRICING)).toBe(true);
    expect(Object.values(MODEL_PRICING).every((rates) => Object.isFrozen(rates))).toBe(true);
  });
});
