import type { ModelRates } from '../model/run-spec.js';
import { BEDROCK_VENDOR, readModelName, withoutVersionDots } from './model-name.js';
import { providerIdOf } from './price-list.js';

/** Rates of the user's own, by model name. */
export type PriceOverrides = Readonly<Record<string, ModelRates>>;

export interface OverridingPrice {
  /** The name under which the user gave it. */
  readonly name: string;
  readonly rates: ModelRates;
}

/**
 * The user's own price of a model: under the very name, or under another spelling of it. A price given without a date
 * holds for every snapshot, one given without a provider for every provider; one given with them only for those.
 */
export function findOverride(written: string, overrides: PriceOverrides): OverridingPrice | undefined {
  if (Object.hasOwn(overrides, written)) return override(written, overrides[written]);
  const named = readModelName(written);
  const provider = providerIdOf(named);
  const entries = Object.keys(overrides).map((key) => ({ key, ...readModelName(key) }));
  for (const form of formsOf(named.model)) {
    const matching = entries.filter((entry) => withoutVersionDots(entry.model) === form);
    const found =
      matching.find((entry) => entry.provider !== undefined && entry.provider === provider) ??
      matching.find((entry) => entry.provider === undefined);
    if (found !== undefined) return override(found.key, overrides[found.key]);
  }
  return undefined;
}

function override(name: string, rates: ModelRates | undefined): OverridingPrice | undefined {
  return rates === undefined ? undefined : { name, rates };
}

/** A name from its fullest form to the bare one: Bedrock's vendor and version, then the date, are left off. */
function formsOf(model: string): readonly string[] {
  const full = withoutVersionDots(model);
  const unversioned = full.replace(BEDROCK_VENDOR, '').replace(/-v\d+(?::\d+)?$/, '');
  const undated = unversioned.replace(/[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/, '');
  return [full, unversioned, undated];
}
