import { cleanSpend, type Spend } from '../model/usage.js';
import { type Fields, numberAt } from './json-fields.js';

/** Codex's input has the cache in it, as ours has. Its own total is at times an estimate of something else. */
export function codexSpend(usage: Fields | undefined): Spend {
  return cleanSpend({
    inputTokens: numberAt(usage, 'input_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    cacheReadTokens: numberAt(usage, 'cached_input_tokens'),
    cacheWriteTokens: numberAt(usage, 'cache_write_input_tokens'),
    reasoningTokens: numberAt(usage, 'reasoning_output_tokens'),
  }).spend;
}
