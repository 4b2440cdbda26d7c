import type { Quantity } from '../../../../model/judging/quantity.js';
import { lowestLimit, type Policy, policyEntries } from '../../../../model/policy.js';
import type { IterationRow } from '../../wire/run-view.js';
import type { Columns } from './downsample.js';

export type Axis = 'iteration' | 'time';

const SECOND_MS = 1000;

/** Where each iteration stands: by its number, or by when it ended, in seconds. */
export function positions(rows: readonly IterationRow[], axis: Axis): readonly number[] {
  if (axis === 'iteration') return rows.map(({ iteration }) => iteration);
  return rows.map(({ startedAt, durationMs }) => (Date.parse(startedAt) + durationMs) / SECOND_MS);
}

const OF_REVIEWS = { costUsd: 'reviewsCostUsd', totalTokens: 'reviewsTokens' } as const;

/** What each iteration took, summed up, with the reviews after it; undefined where nothing was ever told. */
export function summed(
  rows: readonly IterationRow[],
  x: readonly number[],
  field: 'costUsd' | 'totalTokens',
): Columns | undefined {
  if (!rows.some((row) => (row[field] ?? 0) > 0)) return undefined;
  let sum = 0;
  const series = rows.map((row) => {
    sum += row[field] ?? 0;
    return sum + (row[OF_REVIEWS[field]] ?? 0);
  });
  return { x, series: [series] };
}

/** Figures as they were; undefined where there are none. */
export function plain(
  rows: readonly IterationRow[],
  x: readonly number[],
  ...fields: readonly ('contextPercent' | 'testsPassed' | 'testsFailed')[]
): Columns | undefined {
  if (!rows.some((row) => fields.some((field) => row[field] !== undefined))) return undefined;
  return { x, series: fields.map((field) => rows.map((row) => row[field] ?? null)) };
}

/** How much of a quantity the limits of the policy allow. */
export function limitIn(policy: Policy, of: Quantity): number | undefined {
  const limits = policyEntries(policy).filter((entry) => entry.class === 'limit');
  return lowestLimit(
    limits.map(({ condition }) => condition),
    of,
  );
}
