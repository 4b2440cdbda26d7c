/** From and to, both included. */
export type Interval = readonly [number, number];

/** The share that may be behind `some` of `all`, with 95 % confidence (Clopper and Pearson). */
export function shareInterval(some: number, all: number): Interval {
  if (all === 0) return [0, 1];
  const lower = some === 0 ? 0 : bisect((share) => 1 - cumulative(some - 1, all, share) - 0.025);
  const upper = some === all ? 1 : bisect((share) => 0.025 - cumulative(some, all, share));
  return [lower, upper];
}

/** Where a rising function is 0, between 0 and 1. */
function bisect(rising: (share: number) => number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The likelihood of at most `some` of `all`. */
function cumulative(some: number, all: number, share: number): number {
  if (share <= 0) return 1;
  if (share >= 1) return some >= all ? 1 : 0;
  let logTerm = all * Math.log1p(-share);
  let sum = Math.exp(logTerm);
  for (let count = 1; count <= some; count += 1) {
    logTerm += Math.log((all - count + 1) / count) + Math.log(share / (1 - share));
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

const RESAMPLES = 2000;

/**
 * The ratio of two sums with 95 % confidence, by drawing groups again and again. Runs of one task are one group: they are
 * alike.
 */
export function ratioInterval(
  groups: readonly { readonly part: number; readonly whole: number }[],
  next: () => number,
): Interval {
  const ratios = Array.from({ length: RESAMPLES }, () => {
    let [part, whole] = [0, 0];
    for (let drawn = 0; drawn < groups.length; drawn += 1) {
      const group = groups[Math.floor(next() * groups.length)];
      part += group?.part ?? 0;
      whole += group?.whole ?? 0;
    }
    return whole === 0 ? 0 : part / whole;
  }).toSorted((a, b) => a - b);
  return [ratios[Math.floor(RESAMPLES * 0.025)] ?? 0, ratios[Math.floor(RESAMPLES * 0.975)] ?? 0];
}

/** Numbers from 0 to 1 that look like chance and are the same every time (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
