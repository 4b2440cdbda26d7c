/** Each unit with what it is called, from the largest. */
const UNITS: readonly (readonly [unit: string, ms: number, spelling: RegExp])[] = [
  ['w', 604_800_000, /^(?:w|weeks?)$/],
  ['d', 86_400_000, /^(?:d|days?)$/],
  ['h', 3_600_000, /^(?:h|hrs?|hours?)$/],
  ['m', 60_000, /^(?:m|mins?|minutes?)$/],
  ['s', 1000, /^(?:s|secs?|seconds?)$/],
  ['ms', 1, /^(?:ms|msec|milliseconds?)$/],
];

/** What a duration looks like. Whether its units exist is checked when it is read. */
export const DURATION_SHAPE = /^\s*(?:\d{1,15}(?:\.\d{1,6})? ?[A-Za-z]+ ?)+\s*$/;

export const DURATION_EXAMPLES = '"90s", "4h" or "1h 30m"';

/** Milliseconds of `90s`, `4h`, `1h 30m`; undefined for anything else: no bare numbers, no signs, nothing left over. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION_SHAPE.test(text)) return undefined;
  const compact = text.trim().toLowerCase();
  let total = 0;
  for (const [, amount, word = ''] of compact.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)) {
    const unitMs = UNITS.find(([, , spelling]) => spelling.test(word))?.[1];
    if (unitMs === undefined) return undefined;
    total += Number(amount) * unitMs;
  }
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined;
}

/** `1h 30m`, `45s`, `250ms`: the two largest units, or all of them when `exact`. */
export function formatDuration(ms: number, options: { exact?: boolean } = {}): string {
  if (!Number.isFinite(ms)) return 'forever';
  let rest = Math.max(0, Math.round(ms));
  if (rest < 1000) return `${rest}ms`;
  if (options.exact !== true) rest = roundToShow(rest);
  const parts: string[] = [];
  // Weeks are read and never written.
  for (const [unit, unitMs] of UNITS.slice(1)) {
    const amount = Math.floor(rest / unitMs);
    rest -= amount * unitMs;
    if (amount > 0) parts.push(`${amount}${unit}`);
  }
  return (options.exact === true ? parts : parts.slice(0, 2)).join(' ');
}

function roundToShow(ms: number): number {
  const step = ms < 3_600_000 ? 1000 : 60_000;
  return Math.floor(ms / step) * step;
}

/** `2026-03-01 14:30 UTC`. */
export function utcText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/T(\d\d:\d\d).*/, ' $1 UTC');
}
