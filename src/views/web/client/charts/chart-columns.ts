import type { StopCondition } from '../../../../model/condition.js';
import { type Policy, policyEntries } from '../../../../model/policy.js';
import type { IterationRow } from '../../wire/run-view.js';
import type { Columns } from './downsample.js';

export type Axis = 'iteration' | 'time';

const SECOND_MS = 1000;

/** Where each iteration stands: by its number, or by when it ended, in seconds. */
export function positions(rows: readonly IterationRow[], axis: Axis): readonly number[] {
  if (axis === 'iteration') return rows.map(({ iteration }) => iteration);
  return rows.map(({ startedAt, durationMs }) => (Date.parse(startedAt) + durationMs) / SECOND_MS);
}

/** What each iteration took, summed up; undefined where nothing was ever told. */
export function summed(
  rows: readonly IterationRow[],
  x: readonly number[],
  field: 'costUsd' | 'totalTokens',
): Columns | undefined {
  if (!rows.some((row) => (row[field] ?? 0) > 0)) return undefined;
  let sum = 0;
  const series = rows.map((row) => {
    sum += row[field] ?? 0;
    return sum;
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

/** The lowest figure at which the policy ends a run by a condition of this type. */
export function lowestLimit(policy: Policy, type: 'max_cost' | 'max_tokens'): number | undefined {
  const figures = policyEntries(policy).flatMap(({ condition, class: stopClass }) =>
    stopClass === 'limit' && condition.type === type ? figureOf(condition) : [],
  );
  return figures.length === 0 ? undefined : Math.min(...figures);
}

function figureOf(condition: StopCondition): number {
  if (condition.type === 'max_cost') return condition.usd;
  return condition.type === 'max_tokens' ? condition.count : Number.POSITIVE_INFINITY;
}
