import type { EventOf } from './run-event.js';
import { EMPTY_ACCOUNT, endIteration, modelName, reportSpend, settle, type SpendAccount } from './spend-account.js';
import { addSpend } from './usage.js';

/** What one of several attempts, which run side by side, tells of its spend. */
export function reportInLane(account: SpendAccount, lane: number, report: EventOf<'usage-reported'>): SpendAccount {
  const own = reportSpend(account.lanes?.[String(lane)] ?? EMPTY_ACCOUNT, report);
  return { ...account, lanes: { ...account.lanes, [lane]: own }, notional: account.notional || own.notional };
}

/** Closes the books of an attempt. One that spent but told nothing is charged like the dearest so far. */
export function endLane(account: SpendAccount, lane: number, agentStarted: boolean): SpendAccount {
  const { [String(lane)]: open, ...lanes } = account.lanes ?? {};
  const own = endIteration({ ...(open ?? EMPTY_ACCOUNT), dearest: account.dearest }, agentStarted);
  const base: SpendAccount = {
    ...account,
    estimated: addSpend(account.estimated, own.estimated),
    estimatedIterations: account.estimatedIterations + own.estimatedIterations,
    unknownIterations: account.unknownIterations + own.unknownIterations,
    dearest: own.dearest,
    lanes,
  };
  return Object.entries(own.models).reduce(
    (next, [name, { settled }]) => settle(next, modelName(next, name), settled),
    base,
  );
}
