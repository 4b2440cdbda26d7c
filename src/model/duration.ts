const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const SPELLINGS: Readonly<Record<string, string>> = {
  ms: 'ms',
  msec: 'ms',
  millisecond: 'ms',
  milliseconds: 'ms',
  s: 's',
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  m: 'm',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  h: 'h',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  d: 'd',
  day: 'd',
  days: 'd',
  w: 'w',
  week: 'w',
  weeks: 'w',
};

/** What a duration looks like; whether its units exist is seen when it is read. */
export const DURATION_SHAPE = /^\s*(?:\d{1,15}(?:\.\d{1,6})? ?[A-Za-z]+ ?)+\s*$/;

export const DURATION_EXAMPLES = '"90s", "4h" or "1h 30m"';

/** Milliseconds of `90s`, `4h`, `1h 30m`; undefined for anything else: no bare numbers, no signs, nothing left over. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION_SHAPE.test(text)) return undefined;
  const compact = text.trim().toLowerCase();
  let total = 0;
  for (const [, amount, spelling] of compact.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)) {
    const unitMs = UNITS_MS[SPELLINGS[spelling ?? ''] ?? ''];
    if (unitMs === undefined) return undefined;
    total += Number(amount) * unitMs;
  }
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined;
}

/** `1h 30m`, `45s`, `250ms`: the two largest units, or all of them when `exact`. */
export function formatDuration(ms: number, options: { exact?: boolean } = {}): string {
  if (!Number.isFinite(ms)) return 'for ever';
  let rest = Math.max(0, Math.round(ms));
  if (rest < 1000) return `${rest}ms`;
  if (options.exact !== true) rest = roundToShow(rest);
  const parts: string[] = [];
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const unitMs = UNITS_MS[unit] ?? 1;
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
