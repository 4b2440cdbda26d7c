const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MINUTE_MS = 60_000;

/** When a limit resets, from the words of the CLIs. */
export function resetTime(message: string, now: Date | undefined): string | undefined {
  return clockTime(message, now) ?? afterWait(message, now);
}

/** Gemini's "Your quota will reset after 2h41m10s." */
function afterWait(message: string, now: Date | undefined): string | undefined {
  const found = /\breset after (?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8})(?:\.\d+)?s)?/i.exec(message);
  const waitMs = (Number(found?.[1] ?? 0) * 60 + Number(found?.[2] ?? 0)) * MINUTE_MS + Number(found?.[3] ?? 0) * 1000;
  return now === undefined || waitMs === 0 ? undefined : new Date(now.getTime() + waitMs).toISOString();
}

/**
 * Codex's "try again at 7:01 AM." for today, "try again at Nov 16th, 2026 7:01 AM." for another day. Both are in local time
 * and without seconds, so the result is the minute after.
 */
function clockTime(message: string, now: Date | undefined): string | undefined {
  const found = /try again at (?:([a-z]{3})\w* (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([ap])m\b/i.exec(
    message,
  );
  if (found === null) return undefined;
  const [, month, day, year, hour, minute, half] = found;
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0);
  const monthIndex = MONTHS.indexOf(month?.toLowerCase() ?? '');
  if (month !== undefined && monthIndex < 0) return undefined;
  const date =
    month === undefined
      ? timeAfter(now, hours, Number(minute))
      : new Date(Number(year), monthIndex, Number(day), hours, Number(minute) + 1);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The next time of that name. One that has just passed counts: the limit resets about now. */
function timeAfter(now: Date | undefined, hours: number, minute: number): Date | undefined {
  if (now === undefined) return undefined;
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hours, minute + 1);
  if (date.getTime() >= now.getTime() - MINUTE_MS) return date;
  // Not 24 hours later: a day may have 23 or 25.
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, hours, minute + 1);
}

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
