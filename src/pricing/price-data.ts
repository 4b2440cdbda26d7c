import { createRequire } from 'node:module';
import type * as library from '@pydantic/genai-prices';

type PriceData = typeof library;

let data: PriceData | 'missing' | undefined;

/**
 * The price library, most of which is data: it is loaded when the first price is asked for, not when Pawl starts. In an
 * installation without it no price is known, and limits on cost say so.
 */
export function priceData(): PriceData | undefined {
  try {
    data ??= createRequire(import.meta.url)('@pydantic/genai-prices') as PriceData;
  } catch {
    data = 'missing';
  }
  return data === 'missing' ? undefined : data;
}
