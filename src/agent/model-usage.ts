import type { LanguageModelUsage } from 'ai';
import type { Spend } from '../model/usage.js';

/** What a model call used, in Pawl's words. Input is all input in both; what is not told stays unknown. */
export function spendOf(usage: LanguageModelUsage): Spend {
  const { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails, raw } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens,
    cacheReadTokens: inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens,
    cacheWriteTokens: inputTokenDetails?.cacheWriteTokens,
    cacheWriteHourTokens: hourTokens(raw),
    reasoningTokens: outputTokenDetails?.reasoningTokens ?? usage.reasoningTokens,
  };
}

/** Anthropic's own figure: what is kept for an hour costs more. */
function hourTokens(raw: LanguageModelUsage['raw']): number | undefined {
  const creation = raw?.['cache_creation'];
  if (typeof creation !== 'object' || creation === null || Array.isArray(creation)) return undefined;
  const tokens = creation['ephemeral_1h_input_tokens'];
  return typeof tokens === 'number' ? tokens : undefined;
}
