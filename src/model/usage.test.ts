import { describe, expect, it } from 'vitest';
import { addSpend, cleanSpend, largerSpend, NOTHING_SPENT, spendSince, withTotal } from './usage.js';

describe('usage', () => {
  it('unknown plus something is unknown, not something', () => {
    expect(addSpend({ inputTokens: 5, costUsd: 1 }, { inputTokens: 7 })).toEqual({ inputTokens: 12 });
  });

  it('nothing spent is known to be nothing', () => {
    expect(addSpend(NOTHING_SPENT, { inputTokens: 5 })).toEqual({ inputTokens: 5 });
    expect(addSpend(NOTHING_SPENT, NOTHING_SPENT)).toEqual(NOTHING_SPENT);
  });

  it('of two reports of the same thing the larger counts, and a known one beats an unknown one', () => {
    expect(largerSpend({ inputTokens: 5, outputTokens: 1 }, { inputTokens: 3, costUsd: 2 })).toEqual({
      inputTokens: 5,
      outputTokens: 1,
      costUsd: 2,
    });
    expect(largerSpend({ inputTokens: 3 }, { inputTokens: 5 })).toEqual({ inputTokens: 5 });
  });

  it('a total that grew counts by what it grew, one that shrank was started anew', () => {
    expect(spendSince({ inputTokens: 30, outputTokens: 4 }, { inputTokens: 10, outputTokens: 9 })).toEqual({
      inputTokens: 20,
      outputTokens: 4,
    });
    expect(spendSince({ inputTokens: 30 }, {})).toEqual({ inputTokens: 30 });
    expect(spendSince({}, { inputTokens: 30 })).toEqual({});
    expect(spendSince({ inputTokens: 10 }, { inputTokens: 10 })).toEqual({ inputTokens: 0 });
  });

  it('completes the total only when both parts are known', () => {
    expect(withTotal({ inputTokens: 3, outputTokens: 4 }).totalTokens).toBe(7);
    expect(withTotal({ inputTokens: 3 }).totalTokens).toBeUndefined();
    expect(withTotal({ outputTokens: 3 }).totalTokens).toBeUndefined();
    expect(withTotal({ inputTokens: 3, outputTokens: 4, totalTokens: 9 }).totalTokens).toBe(9);
  });

  it('takes no figure that is negative, infinite, absurd or no number, and says which', () => {
    const hostile = {
      inputTokens: -1,
      outputTokens: Number.NaN,
      cacheReadTokens: Number.POSITIVE_INFINITY,
      reasoningTokens: 1e308,
      totalTokens: '5' as never,
      costUsd: 0,
      cacheWriteTokens: null as never,
    };
    expect(cleanSpend(hostile)).toEqual({
      spend: { costUsd: 0 },
      rejected: ['inputTokens', 'outputTokens', 'cacheReadTokens', 'reasoningTokens', 'totalTokens'],
    });
    expect(cleanSpend({ inputTokens: 1e12, outputTokens: 0 })).toEqual({
      spend: { inputTokens: 1e12, outputTokens: 0, totalTokens: 1e12 },
      rejected: [],
    });
  });
});
