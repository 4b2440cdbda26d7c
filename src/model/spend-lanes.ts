import type { EventOf } from './run-event.js';
import { endIteration } from './iteration-books.js';
import { reportSpend, settle } from './report-spend.js';
import { EMPTY_ACCOUNT, modelName, type SpendAccount } from './spend-account.js';
import { addSpend } from './usage.js';

/** Under which name an attempt has its books. Its audit has its own: one may tell what it spent, and the other not. */
export function laneOf(index: number, isAudit = false): string {
  return isAudit ? `${index}.audit` : String(index);
}

/** What one of several attempts, which run side by side, tells of its spend. */
export function reportInLane(account: SpendAccount, lane: string, report: EventOf<'usage-reported'>): SpendAccount {
  const own = reportSpend(account.lanes?.[lane] ?? EMPTY_ACCOUNT, report);
  return { ...account, lanes: { ...account.lanes, [lane]: own }, notional: account.notional || own.notional };
}

/** Closes the books of an attempt. One that spent but told nothing is charged like the dearest so far. */
export function endLane(account: SpendAccount, lane: string, agentStarted: boolean): SpendAccount {
  const { [lane]: open, ...lanes } = account.lanes ?? {};
  const own = endIteration({ ...(open ?? EMPTY_ACCOUNT), dearest: account.dearest }, { agentStarted });
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

/** The same for the audit of an attempt. Most spend nothing: only one that says so has spent what nobody knows. */
export function endAuditLane(account: SpendAccount, index: number, isUnknown: boolean): SpendAccount {
  const lane = laneOf(index, true);
  const ended = account.lanes?.[lane] === undefined ? account : endLane(account, lane, false);
  return isUnknown ? endLane(ended, lane, true) : ended;
}
