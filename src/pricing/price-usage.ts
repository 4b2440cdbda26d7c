import type { ModelRates } from '../model/run-spec.js';
import type { Usage } from '../model/usage.js';
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

/** The price of a model, or undefined when nobody knows it. */
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
  const counts = countsOf(usage);
  const price = counts && findPrice(model, options);
  if (counts === undefined || price === undefined) return undefined;
  const rates = price.ratesFor(counts.uncached + counts.cacheRead + counts.cacheWrite + counts.cacheWriteHour);
  const costUsd =
    (counts.uncached * rates.input +
      counts.cacheRead * (rates.cacheRead ?? rates.input) +
      counts.cacheWrite * (rates.cacheWrite ?? rates.input) +
      counts.cacheWriteHour * (rates.cacheWriteHour ?? rates.cacheWrite ?? rates.input) +
      counts.output * rates.output) /
    1_000_000;
  return isAmount(costUsd) ? { costUsd, rates, priceName: price.name } : undefined;
}

interface Counts {
  readonly uncached: number;
  readonly cacheRead: number;
  /** Without what is kept for an hour. */
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly output: number;
}

/**
 * Counts that do not overlap. A report whose cache parts exceed its whole input is wrong somewhere: every part is
 * charged in full, so that the cost is rather too high than too low.
 */
function countsOf(usage: Usage): Counts | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWriteHourTokens = 0 } = usage;
  if (!isAmount(inputTokens) || !isAmount(outputTokens)) return undefined;
  if (![cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens].every(isAmount)) return undefined;
  const written = Math.max(cacheWriteTokens, cacheWriteHourTokens);
  return {
    uncached: Math.max(0, inputTokens - cacheReadTokens - written),
    cacheRead: cacheReadTokens,
    cacheWrite: written - cacheWriteHourTokens,
    cacheWriteHour: cacheWriteHourTokens,
    output: outputTokens,
  };
}

function isAmount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}
