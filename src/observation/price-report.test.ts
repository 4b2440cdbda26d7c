import { describe, expect, it } from 'vitest';
import type { AgentEventOf } from '../model/agent-event.js';
import { type PriceReportOptions, priceReport } from './price-report.js';

const MILLION = { inputTokens: 1_000_000, outputTokens: 0 };
const costOf = (event: Partial<AgentEventOf<'usage'>>, options: Partial<PriceReportOptions> = {}): number | undefined =>
  priceReport(
    { kind: 'usage', scope: 'request', spend: MILLION, ...event },
    { prices: {}, at: new Date('2026-03-01'), ...options },
  ).spend.costUsd;

describe('a cost of zero for tokens that were used', () => {
  it.each(['request', 'turn', 'session-total'] as const)('of a %s is not trusted for an unknown model', (scope) => {
    const spend = { ...MILLION, costUsd: 0 };
    expect(costOf({ scope, spend, model: 'a-model-of-my-own' })).toBeUndefined();
    expect(costOf({ scope, spend })).toBeUndefined();
  });

  it('gives way to the price list in a sum, too', () => {
    expect(costOf({ scope: 'turn', spend: { ...MILLION, costUsd: 0 }, model: 'gpt-4o-mini' })).toBe(0.15);
  });

  it('is true where the user says that the model is free', () => {
    const prices = { llama: { input: 0, output: 0 } };
    expect(costOf({ spend: { ...MILLION, costUsd: 0 }, model: 'llama' }, { prices })).toBe(0);
    expect(costOf({ scope: 'turn', model: 'llama' }, { prices })).toBe(0);
  });

  it('is known where no tokens were used', () => {
    expect(costOf({ spend: { inputTokens: 0, outputTokens: 0, costUsd: 0 } })).toBe(0);
    expect(costOf({ spend: { costUsd: 0 } })).toBe(0);
  });
});

describe('usage that names no model', () => {
  it('has the price of the model that the cost limit names', () => {
    expect(costOf({}, { costModel: 'gpt-4o-mini' })).toBe(0.15);
    expect(costOf({ scope: 'turn' }, { costModel: 'gpt-4o-mini' })).toBe(0.15);
    expect(costOf({}, {})).toBeUndefined();
  });

  it('has its own cost before that', () => {
    expect(costOf({ spend: { ...MILLION, costUsd: 3 } }, { costModel: 'gpt-4o-mini' })).toBe(3);
  });

  it('a sum has the price of the only model that was seen, and a single request has not', () => {
    expect(costOf({ scope: 'session-total' }, { likelyModel: 'gpt-4o-mini' })).toBe(0.15);
    expect(costOf({}, { likelyModel: 'gpt-4o-mini' })).toBeUndefined();
  });
});

describe('the cost of a sum', () => {
  it("is the agent's own figure before the list, and the user's price before both", () => {
    const spend = { ...MILLION, costUsd: 9 };
    expect(costOf({ scope: 'turn', spend, model: 'gpt-4o-mini' })).toBe(9);
    const prices = { 'gpt-4o-mini': { input: 2, output: 2 } };
    expect(costOf({ scope: 'turn', spend, model: 'gpt-4o-mini' }, { prices })).toBe(2);
    expect(costOf({ scope: 'turn', spend }, { prices, likelyModel: 'gpt-4o-mini' })).toBe(2);
  });
});
