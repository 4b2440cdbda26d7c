import { createRequire } from 'node:module';
import type * as library from '@pydantic/genai-prices';

type PriceData = typeof library;

let data: PriceData | undefined;

/** The price library, most of which is data: it is loaded when the first price is asked for, not when Pawl starts. */
export function priceData(): PriceData {
  data ??= createRequire(import.meta.url)('@pydantic/genai-prices') as PriceData;
  return data;
}
