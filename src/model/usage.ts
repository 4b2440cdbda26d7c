/** US dollars per million tokens. */
export interface ModelRates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** Written to a cache that is kept for an hour. */
  readonly cacheWriteHour?: number | undefined;
}

/**
 * Tokens of one or many model requests. One meaning everywhere: `inputTokens` is all input, the cache counts are parts
 * of it, and `cacheWriteHourTokens` is the part of `cacheWriteTokens` that is kept for an hour and costs more; `outputTokens` is all output, `reasoningTokens` a part of it; `totalTokens` is input plus output. A count that
 * is not known is undefined, never 0.
 */
export interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly cacheWriteHourTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
}

/** Usage and what it cost. */
export interface Spend extends Usage {
  readonly costUsd?: number | undefined;
}

const FIELDS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWriteHourTokens',
  'reasoningTokens',
  'totalTokens',
  'costUsd',
] as const satisfies readonly (keyof Spend)[];

export const NOTHING_SPENT = Object.freeze(Object.fromEntries(FIELDS.map((field) => [field, 0]))) as Required<Spend>;

/** The sum, field by field; unknown plus anything is unknown. */
export function addSpend(a: Spend, b: Spend): Spend {
  return combine(a, b, (x, y) => (x === undefined || y === undefined ? undefined : x + y));
}

/** The larger of two reports of the same thing, field by field; a known count beats an unknown one. */
export function largerSpend(a: Spend, b: Spend): Spend {
  return combine(a, b, (x, y) => (x === undefined ? y : y === undefined ? x : Math.max(x, y)));
}

/** What a running total grew by; a total that shrank started again and counts whole. */
export function spendSince(total: Spend, before: Spend): Spend {
  return combine(total, before, (x, y) => (x === undefined ? undefined : y === undefined || x < y ? x : x - y));
}

export function isSameSpend(a: Spend, b: Spend): boolean {
  return FIELDS.every((field) => a[field] === b[field]);
}

/** Nothing is known of it. */
export function isUnknown(spend: Spend): boolean {
  return FIELDS.every((field) => spend[field] === undefined);
}

/** Known to be nothing. */
export function isNothing({ totalTokens, costUsd = 0 }: Spend): boolean {
  return totalTokens === 0 && costUsd === 0;
}

/** Completes the total from its parts where they are known; it is never less than they are. */
export function withTotal(spend: Spend): Spend {
  if (spend.inputTokens === undefined || spend.outputTokens === undefined) return spend;
  if ((spend.totalTokens ?? 0) >= spend.inputTokens + spend.outputTokens && spend.totalTokens !== undefined)
    return spend;
  const totalTokens = spend.inputTokens + spend.outputTokens;
  return combine(spend, { totalTokens }, (x, y) => (y === undefined ? x : y));
}

/** What is unknown in `spend` is taken from `defaults`. */
export function orElse(spend: Spend, defaults: Spend): Spend {
  return combine(spend, defaults, (x, y) => x ?? y);
}

/** Field by field, always with every field: the fold does this at each usage event. */
function combine(
  a: Spend,
  b: Spend,
  pick: (x: number | undefined, y: number | undefined) => number | undefined,
): Spend {
  return {
    inputTokens: pick(a.inputTokens, b.inputTokens),
    outputTokens: pick(a.outputTokens, b.outputTokens),
    cacheReadTokens: pick(a.cacheReadTokens, b.cacheReadTokens),
    cacheWriteTokens: pick(a.cacheWriteTokens, b.cacheWriteTokens),
    cacheWriteHourTokens: pick(a.cacheWriteHourTokens, b.cacheWriteHourTokens),
    reasoningTokens: pick(a.reasoningTokens, b.reasoningTokens),
    totalTokens: pick(a.totalTokens, b.totalTokens),
    costUsd: pick(a.costUsd, b.costUsd),
  };
}

/** More than any model can use in one request: a larger figure is a fault of the agent's report. */
const MOST_PER_REPORT = 1e12;

/**
 * What a usage costs at some rates. A report whose cache parts exceed its whole input is wrong somewhere: every part is
 * charged in full, so that the cost is rather too high than too low.
 */
export function costAt(usage: Usage, rates: ModelRates): number {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
    cacheWriteHourTokens = 0,
  } = usage;
  const written = Math.max(cacheWriteTokens, cacheWriteHourTokens);
  return (
    (Math.max(0, inputTokens - cacheReadTokens - written) * rates.input +
      cacheReadTokens * (rates.cacheRead ?? rates.input) +
      (written - cacheWriteHourTokens) * (rates.cacheWrite ?? rates.input) +
      cacheWriteHourTokens * (rates.cacheWriteHour ?? rates.cacheWrite ?? rates.input) +
      outputTokens * rates.output) /
    1_000_000
  );
}

/** Figures from outside: negative, infinite and absurd ones are taken out (so they are unknown) and named. */
export function cleanSpend(raw: Spend): { readonly spend: Spend; readonly rejected: readonly string[] } {
  const rejected: string[] = [];
  const kept = FIELDS.flatMap((field) => {
    const value: unknown = raw[field];
    if (typeof value === 'number' && value >= 0 && value <= MOST_PER_REPORT) return [[field, value]];
    if (value !== undefined && value !== null) rejected.push(field);
    return [];
  });
  return { spend: withTotal(Object.fromEntries(kept) as Spend), rejected };
}
