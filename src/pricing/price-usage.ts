import type { ModelRates } from '../model/run-spec.js';
import { costAt, type Usage } from '../model/usage.js';
import { readModelName } from './model-name.js';
import { findListedPrice, type ListedPrice } from './price-list.js';
import { findOverride, type PriceOverrides } from './price-override.js';

export interface PriceOptions {
  /** The user's own rates; they win over the price list. */
  readonly overrides?: PriceOverrides | undefined;
  /** When the request was made: prices change. Now, if it is left out. */
  readonly at?: Date | undefined;
}

export interface PricedUsage {
  readonly costUsd: number;
  /** The rates that were applied, those of a long context where it was one. */
  readonly rates: ModelRates;
  /** The entry of the price list, or the key of the override, that the model name resolved to. */
  readonly priceName: string;
}

/** The price of a model, or undefined when no one knows it. */
export function findPrice(model: string, options: PriceOptions = {}): ListedPrice | undefined {
  const own = options.overrides && findOverride(model, options.overrides);
  if (own !== undefined) return { name: own.name, ratesFor: () => own.rates };
  return findListedPrice(readModelName(model), options.at ?? new Date());
}

/**
 * What one request cost, with the rates used. Rates may depend on the length of the request's input: price each request
 * and add the costs up, not the tokens.
 */
export function priceUsage(usage: Usage, model: string, options: PriceOptions = {}): PricedUsage | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWriteHourTokens = 0 } = usage;
  if (!isAmount(inputTokens) || !isAmount(outputTokens)) return undefined;
  if (![cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens].every(isAmount)) return undefined;
  const price = findPrice(model, options);
  if (price === undefined) return undefined;
  const cached = cacheReadTokens + Math.max(cacheWriteTokens, cacheWriteHourTokens);
  const rates = price.ratesFor(Math.max(inputTokens, cached));
  const costUsd = costAt(usage, rates);
  return isAmount(costUsd) ? { costUsd, rates, priceName: price.name } : undefined;
}

function isAmount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}
