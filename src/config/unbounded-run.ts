import type { StopCondition } from '../model/condition.js';
import { limitOf } from '../model/condition-catalog.js';
import type { Quantity } from '../model/judging/quantity.js';
import { type PolicyEntry, policyEntries } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST: Readonly<Partial<Record<Quantity, number>>> = {
  iterations: 1000,
  costUsd: 1000,
  dayCostUsd: 1000,
  totalTokens: 1_000_000_000,
  inputTokens: 1_000_000_000,
  outputTokens: 1_000_000_000,
  activeMs: 7 * DAY_MS,
  atMs: Number.POSITIVE_INFINITY,
};

/** What a run whose limits bound nothing does, in words; undefined when one of them bounds it. */
export function unboundedText({ policy }: RunSpec): string | undefined {
  const entries = policyEntries(policy);
  const limits = entries.filter((entry) => entry.class === 'limit').map(({ condition }) => condition);
  if (limits.some(isBound)) return undefined;
  const counts = limits.flatMap((limit) => (limit.type === 'max_iterations' ? [limit.count] : []));
  const most = counts.length === 0 ? undefined : Math.min(...counts).toLocaleString('en-US');
  const length = most === undefined ? 'without a limit' : `up to ${most} iterations, without another limit`;
  return entries.some(givesUp) ? length : `${length}, and never gives up`;
}

function givesUp({ class: stopClass, condition }: PolicyEntry): boolean {
  return stopClass === 'failure' && condition.type !== 'never';
}

/** An amount that a run can really reach. */
function isBound(condition: StopCondition): boolean {
  const { quantity, amount } = limitOf(condition) ?? {};
  return quantity !== undefined && amount !== undefined && amount <= (MOST[quantity] ?? Number.NEGATIVE_INFINITY);
}
