import type { RunState } from '../../model/run-state.js';
import { type SpendAccount, totalSpend } from '../../model/spend-account.js';
import { count, plural, usd } from '../../stop/figures.js';

/** All that was spent, in words; what is not known is said to be so. */
export function spendText({ spend, agent }: RunState): string {
  const { costUsd, totalTokens } = totalSpend(spend);
  if (!hasReports(spend)) {
    if (spend.unknownIterations === 0) return 'nothing';
    return `unknown: ${agent?.name ?? 'the agent'} did not tell what it used`;
  }
  const cost = costUsd === undefined ? 'cost unknown' : `${usd(costUsd)}${spend.notional ? ' (notional)' : ''}`;
  const tokens = totalTokens === undefined ? 'tokens unknown' : plural(totalTokens, 'token');
  return `${cost}, ${tokens}${doubts(spend)}`;
}

/** What was spent up to now, for the end of a line; nothing where the agent never tells. */
export function costSoFar({ spend }: RunState): string | undefined {
  if (!hasReports(spend)) return undefined;
  const { costUsd } = totalSpend(spend);
  return `${costUsd === undefined ? 'cost unknown' : usd(costUsd)}${spend.estimatedIterations > 0 ? ' (estimated)' : ''}`;
}

function hasReports(spend: SpendAccount): boolean {
  return Object.keys(spend.models).length > 0;
}

function doubts({ estimatedIterations, unknownIterations, notional }: SpendAccount): string {
  const parts = [
    estimatedIterations > 0 ? `${plural(estimatedIterations, 'iteration')} estimated` : undefined,
    unknownIterations > 0 ? `${count(unknownIterations)} told nothing` : undefined,
    notional ? 'a subscription pays' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
