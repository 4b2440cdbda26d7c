import type { Spend } from '../model/usage.js';

const MOST_USD = 1e12;

/** A cost that an agent tells. Nothing, for tokens that were used, only says that it has no price for its model. */
export function ownCost(costUsd: number | undefined, { totalTokens = 0 }: Spend): number | undefined {
  if (costUsd === undefined || costUsd < 0 || costUsd > MOST_USD) return undefined;
  return costUsd === 0 && totalTokens > 0 ? undefined : costUsd;
}
