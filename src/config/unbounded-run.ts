import type { StopCondition } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import { type PolicyEntry, policyEntries } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_ITERATIONS = 1000;
const MOST_USD = 1000;
const MOST_TOKENS = 1_000_000_000;

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

/** A figure that a run can really reach. */
function isBound(limit: StopCondition): boolean {
  switch (limit.type) {
    case 'max_iterations':
      return limit.count <= MOST_ITERATIONS;
    case 'max_cost':
    case 'max_cost_per_day':
      return limit.usd <= MOST_USD;
    case 'max_tokens':
    case 'max_input_tokens':
    case 'max_output_tokens':
      return limit.count <= MOST_TOKENS;
    case 'max_duration':
      return (parseDuration(limit.duration) ?? 0) <= 7 * DAY_MS;
    case 'deadline':
      return true;
    default:
      return false;
  }
}
