import { count, plural } from '../model/figures.js';
import type { PipelineState } from '../model/pipeline-state.js';
import type { EventOf } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { FailedItem, AttemptReport } from '../model/shown-items.js';
import { EMPTY_ACCOUNT, type SpendAccount, totalSpend } from '../model/spend-account.js';
import { endAuditLane, endLane, laneOf } from '../model/spend-lanes.js';
import type { Spend } from '../model/usage.js';
import { itemsOf } from './item-figures.js';
import { hasReports } from './spend-text.js';

/** `BLURRY, DARK, score 0.41: more light`: why an attempt was not approved; empty when nothing was told. */
export function whyText({ reasons, score, message, printed = '' }: Omit<AttemptReport, 'outcome'>): string {
  const codes = [...reasons, ...(score === undefined ? [] : [`score ${score}`])].join(', ');
  return [codes, message ?? printed].filter((part) => part !== '').join(': ');
}

/** `frame-004 rejected after 2 attempts: BLURRY`. */
export function failedItemText({ item, status, attempts, last }: FailedItem): string {
  const why = last === undefined ? '' : whyText(last);
  return `${item} ${status} after ${plural(attempts, 'attempt')}${why === '' ? '' : `: ${why}`}`;
}

/** `12 of 30 items`: how many are final. */
export function doneText(pipeline: PipelineState): string {
  const { done, items } = itemsOf(pipeline);
  return `${count(done)} of ${plural(items, 'item')}`;
}

/** `12/30`: how many of the items are final. */
export function doneOf(done: number, items: number): string {
  return `${count(done)}/${count(items)}`;
}

/** What the run was charged for one attempt, its audit included. */
export interface AttemptSpend {
  readonly told: Spend;
  /** A part of it reported nothing and was charged like the dearest before. */
  readonly isEstimated: boolean;
  /** A part of it reported nothing, and there was nothing to charge it by. */
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
