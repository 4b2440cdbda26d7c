import type { LanguageModelUsage } from 'ai';
import type { Spend } from '../model/usage.js';

/** What a model call used, in Pawl's words. Input is all input in both; what is not told stays unknown. */
export function spendOf(usage: LanguageModelUsage): Spend {
  const { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails, raw } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens,
    cacheReadTokens: inputTokenDetails?.cacheReadTokens,
    cacheWriteTokens: inputTokenDetails?.cacheWriteTokens,
    cacheWriteHourTokens: hourTokens(raw),
    reasoningTokens: outputTokenDetails?.reasoningTokens,
  };
}

/** Anthropic's own figure: what is kept for an hour costs more. */
function hourTokens(raw: LanguageModelUsage['raw']): number | undefined {
  const creation = raw?.['cache_creation'];
  if (typeof creation !== 'object' || creation === null) return undefined;
  const { ephemeral_1h_input_tokens: tokens } = creation as { readonly ephemeral_1h_input_tokens?: unknown };
  return typeof tokens === 'number' ? tokens : undefined;
}
