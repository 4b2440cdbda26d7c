import type { ModelRates } from '../model/run-spec.js';
import { findPrice } from './price-usage.js';

const SHOWN = [
  'claude-sonnet-4-5',
  'claude-opus-4-5',
  'claude-haiku-4-5',
  'gpt-4o',
  'gpt-4o-mini',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
];

/**
 * US dollars per million tokens of well-known models, for requests of ordinary length. `calculateCost` knows many more,
 * and the higher rates of long contexts.
 */
export const MODEL_PRICING: Readonly<Record<string, ModelRates>> = Object.freeze(
  Object.fromEntries(SHOWN.flatMap((model) => baseRates(model))),
);

function baseRates(model: string): readonly (readonly [string, ModelRates])[] {
  const price = findPrice(model);
  if (price === undefined) return [];
  const { cacheWriteHour: _hour, ...rates } = price.ratesFor(0);
  return [[model, Object.freeze(rates)]];
}
