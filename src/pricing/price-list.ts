import type { ModelInfo, ModelPrice, Provider, TieredPrices } from '@pydantic/genai-prices';
import type { ModelRates } from '../model/run-spec.js';
import { LARGE_CONTEXT_MARK, type ModelName, readModelName, spellingsOf } from './model-name.js';
import { priceData } from './price-data.js';
import { isSameModel } from './same-model.js';

/** A model's price as it stands on a list. A request with a long context may have rates of its own. */
export interface ListedPrice {
  /** Provider and model of the entry, such as `anthropic/claude-sonnet-4-5`. */
  readonly name: string;
  readonly ratesFor: (inputTokens: number) => ModelRates;
}

const LARGE_CONTEXT_TOKENS = 1_000_000;

/** Charged next to plain input and output: tokens alone would not give the cost. */
const NOT_BY_TOKENS_ALONE = ['requests_kcount', 'output_reasoning_mtok', 'output_citation_mtok'];

export function findListedPrice(written: ModelName, at: Date): ListedPrice | undefined {
  const found = findEntry(written);
  return found === undefined ? undefined : listedPrice(found.provider, found.entry, found.model, at);
}

/** How many tokens fit into the context of a model, as far as the list has it. */
export function listedContextWindow(model: string): number | undefined {
  if (LARGE_CONTEXT_MARK.test(model.trim().toLowerCase())) return LARGE_CONTEXT_TOKENS;
  return findEntry(readModelName(model))?.entry.context_window;
}

interface FoundEntry {
  readonly provider: Provider;
  readonly entry: ModelInfo;
  readonly model: string;
}

function findEntry(written: ModelName): FoundEntry | undefined {
  const named = providerOf(written);
  if (named === undefined) return undefined;
  for (const model of spellingsOf(written.model)) {
    for (const provider of withFallbacks(named)) {
      const entry = provider.models.find((listed) => isSameModel(listed.match, model));
      if (entry !== undefined) return { provider, entry, model };
    }
  }
  return undefined;
}

/** The provider that a name means: the one it says, or the maker of the model. */
export function providerIdOf(name: ModelName): string | undefined {
  return providerOf(name)?.id;
}

function providerOf(name: ModelName): Provider | undefined {
  return priceData()?.findProvider(
    name.provider === undefined ? { modelId: name.model } : { providerId: name.provider },
  );
}

/** A provider and those whose list applies to what it resells. */
function withFallbacks(provider: Provider): readonly Provider[] {
  const fallbacks = (provider.fallback_model_providers ?? []).map((providerId) =>
    priceData()?.findProvider({ providerId }),
  );
  return [provider, ...fallbacks.filter((fallback) => fallback !== undefined)];
}

function listedPrice(provider: Provider, entry: ModelInfo, model: string, at: Date): ListedPrice | undefined {
  // The list knows which price holds when; it is asked about this entry alone so that it cannot pick another.
  const price = priceData()?.calcPrice({}, model, {
    provider: { ...provider, models: [entry] },
    timestamp: at,
  })?.model_price;
  if (price === undefined || price.input_mtok === undefined || price.output_mtok === undefined) return undefined;
  if (NOT_BY_TOKENS_ALONE.some((key) => price[key] !== undefined)) return undefined;
  return { name: `${provider.id}/${entry.id}`, ratesFor: (inputTokens) => ratesOf(price, inputTokens) };
}

function ratesOf(price: ModelPrice, inputTokens: number): ModelRates {
  return {
    input: rateAt(price.input_mtok ?? 0, inputTokens),
    output: rateAt(price.output_mtok ?? 0, inputTokens),
    ...(price.cache_read_mtok !== undefined && { cacheRead: rateAt(price.cache_read_mtok, inputTokens) }),
    ...(price.cache_write_mtok !== undefined && { cacheWrite: rateAt(price.cache_write_mtok, inputTokens) }),
    ...(price.cache_write_1h_mtok !== undefined && { cacheWriteHour: rateAt(price.cache_write_1h_mtok, inputTokens) }),
  };
}

function rateAt(price: number | TieredPrices, inputTokens: number): number {
  if (typeof price === 'number') return price;
  const reached = price.tiers.filter((tier) => inputTokens > tier.start).toSorted((a, b) => a.start - b.start);
  return reached.at(-1)?.price ?? price.base;
}
