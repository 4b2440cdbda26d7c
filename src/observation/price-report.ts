import type { AgentEventOf } from '../model/agent-event.js';
import type { EventBodies } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { cleanSpend, type Spend } from '../model/usage.js';
import { priceData } from '../pricing/price-data.js';
import { findOverride } from '../pricing/price-override.js';
import { priceUsage } from '../pricing/price-usage.js';

export { listedContextWindow } from '../pricing/price-list.js';

export interface PriceReportOptions {
  readonly prices: RunSpec['prices'];
  readonly at: Date;
  /** Whose usage a sum is in all likelihood, if it names no model. */
  readonly likelyModel?: string | undefined;
  /** At whose price usage counts that has no other. */
  readonly costModel?: string | undefined;
}

/**
 * A usage report as it is recorded: figures cleaned, cost added. A request is priced by the list or the user's own rates;
 * a turn or a total is the sum of many, whose rates may differ, so there the agent's own figure comes before the list.
 */
export function priceReport(
  report: AgentEventOf<'usage'>,
  { prices, at, likelyModel, costModel }: PriceReportOptions,
): EventBodies['usage-reported'] {
  const { scope, id, session, model } = report;
  const { spend, rejected } = cleanSpend(report.spend);
  const own = ownCost(spend);
  const name = model ?? (scope === 'request' ? undefined : likelyModel);
  const priceAt = (one: string | undefined) =>
    one === undefined ? undefined : priceUsage(spend, one, { overrides: prices, at });
  const isOwnFirst =
    own !== undefined && scope !== 'request' && (name === undefined || findOverride(name, prices) === undefined);
  const priced = isOwnFirst ? undefined : (priceAt(name) ?? (own === undefined ? priceAt(costModel) : undefined));
  const costUsd = priced?.costUsd ?? own;
  return {
    scope,
    id,
    session,
    model,
    spend: { ...spend, costUsd },
    rates: priced?.rates,
    priceListMissing: costUsd === undefined && name !== undefined && priceData() === undefined ? true : undefined,
    rejected: rejected.length === 0 ? undefined : rejected,
    ...(report.unknown === true ? { unknown: true } : {}),
  };
}

/** Nothing, for tokens that were used, only says that the agent has no price for its model. */
function ownCost({ costUsd, totalTokens = 0 }: Spend): number | undefined {
  return costUsd === 0 && totalTokens > 0 ? undefined : costUsd;
}
