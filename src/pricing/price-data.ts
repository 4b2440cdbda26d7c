import { createRequire } from 'node:module';

type PriceData = typeof import('@pydantic/genai-prices');

let data: PriceData | undefined;

/** The price library, most of which is data: it is loaded when the first price is asked for, not when Pawl starts. */
export function priceData(): PriceData {
  data ??= createRequire(import.meta.url)('@pydantic/genai-prices') as PriceData;
  return data;
}
