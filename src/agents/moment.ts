/** Seconds since 1970 reach this in the year 5138, milliseconds reached it in 1973. */
const LEAST_MILLISECONDS = 1e11;

/** A moment as ISO 8601 text, or as a number since 1970 in seconds or milliseconds. Undefined when it cannot be read. */
export function momentOf(value: unknown): string | undefined {
  const date = new Date(timeMs(value));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function timeMs(value: unknown): number {
  if (typeof value === 'number') return value > LEAST_MILLISECONDS ? value : value * 1000;
  if (typeof value !== 'string') return Number.NaN;
  return /^\d{9,}(?:\.\d+)?$/.test(value) ? timeMs(Number(value)) : Date.parse(value);
}
