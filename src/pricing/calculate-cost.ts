import type { Usage } from '../model/usage.js';
import { type PriceOptions, priceUsage } from './price-usage.js';

/**
 * What one request to a model cost, in US dollars; undefined when the price, or how much was used, is not known.
 * `inputTokens` is all input, the cache counts are parts of it.
 *
 * @example
 * ```ts
 * import { calculateCost } from 'pawl';
 *
 * calculateCost({ inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 400_000 }, 'claude-haiku-4-5'); // 0.64
 * calculateCost({ inputTokens: 1_000_000, outputTokens: 0 }, 'a-model-of-my-own'); // undefined
 * ```
 */
export function calculateCost(usage: Usage, model: string, options: PriceOptions = {}): number | undefined {
  return priceUsage(usage, model, options)?.costUsd;
}
