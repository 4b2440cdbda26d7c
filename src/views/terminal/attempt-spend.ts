import type { EventOf } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { EMPTY_ACCOUNT, type SpendAccount, totalSpend } from '../../model/spend-account.js';
import { endAuditLane, endLane, laneOf } from '../../model/spend-lanes.js';
import type { Spend } from '../../model/usage.js';
import { hasReports } from './spend-text.js';

/** What the run was charged for one attempt, its audit included. */
export interface AttemptSpend {
  readonly told: Spend;
  /** A part of it told nothing and was charged like the dearest before. */
  readonly isEstimated: boolean;
  /** A part of it told nothing, and there was nothing to charge it by. */
  readonly isPartial: boolean;
}

/** By the same books as those of the run. Undefined when nothing is known. `before`: the state before the attempt ended. */
export function attemptSpend(event: EventOf<'attempt-ended'>, before: RunState): AttemptSpend | undefined {
  const { index, agentStarted = true, auditSpendUnknown = false } = event;
  if (index === undefined) return undefined;
  const own = ownBooks(index, before.spend);
  const account = endAuditLane(endLane(own, laneOf(index), agentStarted), index, auditSpendUnknown);
  const isEstimated = account.estimatedIterations > 0;
  if (!hasReports(account) && !isEstimated) return undefined;
  const told = totalSpend({ ...account, unknownIterations: 0 });
  return { told, isEstimated, isPartial: account.unknownIterations > 0 };
}

/** Those of the attempt and of its audit, without the others. */
function ownBooks(index: number, { dearest, lanes = {} }: SpendAccount): SpendAccount {
  const names = new Set([laneOf(index), laneOf(index, true)]);
  const own = Object.fromEntries(Object.entries(lanes).filter(([name]) => names.has(name)));
  return { ...EMPTY_ACCOUNT, dearest, lanes: own };
}
