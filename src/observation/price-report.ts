import type { AgentEventOf } from '../model/agent-event.js';
import type { EventBodies } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { cleanSpend } from '../model/usage.js';
import { priceData } from '../pricing/price-data.js';
import { priceUsage } from '../pricing/price-usage.js';

export interface PriceReportOptions {
  readonly prices: RunSpec['prices'];
  readonly at: Date;
}

/**
 * A usage report as it is recorded: figures cleaned, cost added. A request is priced by the list or the user's own rates;
 * a turn or a total is the sum of many, whose rates may differ, so there the agent's own figure comes first.
 */
export function priceReport(
  report: AgentEventOf<'usage'>,
  { prices, at }: PriceReportOptions,
): EventBodies['usage-reported'] {
  const { scope, id, session, model } = report;
  const { spend, rejected } = cleanSpend(report.spend);
  const priced = model === undefined ? undefined : priceUsage(spend, model, { overrides: prices, at });
  const ownFirst = scope !== 'request' && model !== undefined && !Object.hasOwn(prices, model);
  const costUsd = ownFirst ? (spend.costUsd ?? priced?.costUsd) : (priced?.costUsd ?? spend.costUsd);
  return {
    scope,
    id,
    session,
    model,
    spend: { ...spend, costUsd },
    rates: costUsd === priced?.costUsd ? priced?.rates : undefined,
    priceListMissing: costUsd === undefined && model !== undefined && priceData() === undefined ? true : undefined,
    rejected: rejected.length === 0 ? undefined : rejected,
    ...(report.unknown === true ? { unknown: true } : {}),
  };
}
