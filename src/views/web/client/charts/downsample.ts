/** Columns of figures over one x; what is not known is null. */
export interface Columns {
  readonly x: readonly number[];
  readonly series: readonly (readonly (number | null)[])[];
}

/**
 * As many points as pixels can show: of each bucket the first, the last, and the smallest and the largest of every
 * series, so that no peak is lost.
 */
export function downsample({ x, series }: Columns, buckets: number): Columns {
  if (x.length <= buckets * 2 || buckets < 1) return { x, series };
  const kept: number[] = [];
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const first = Math.floor((bucket * x.length) / buckets);
    const after = Math.floor(((bucket + 1) * x.length) / buckets);
    const chosen = new Set([first, after - 1]);
    for (const column of series) for (const index of extremes(column, first, after)) chosen.add(index);
    kept.push(...[...chosen].sort((a, b) => a - b));
  }
  return {
    x: kept.map((index) => x[index] ?? 0),
    series: series.map((column) => kept.map((index) => column[index] ?? null)),
  };
}

function extremes(column: readonly (number | null)[], first: number, after: number): readonly number[] {
  let [low, high] = [-1, -1];
  for (let index = first; index < after; index += 1) {
    const value = column[index] ?? null;
    if (value === null) continue;
    if (low === -1 || value < (column[low] ?? 0)) low = index;
    if (high === -1 || value > (column[high] ?? 0)) high = index;
  }
  return low === -1 ? [] : [low, high];
}
