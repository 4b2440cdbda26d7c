const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MINUTE_MS = 60_000;

/** When a limit opens again, from the words of the CLIs. */
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
 * Codex's "try again at 7:01 AM." for today, "try again at Nov 16th, 2026 7:01 AM." for another day, both in local time
 * and without seconds, so the minute after it is meant.
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

/** The next time that clocks show it; one that has just gone by is meant, too: it opens about now. */
function timeAfter(now: Date | undefined, hours: number, minute: number): Date | undefined {
  if (now === undefined) return undefined;
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hours, minute + 1);
  if (date.getTime() >= now.getTime() - MINUTE_MS) return date;
  // Not 24 hours later: the day after may have 23 or 25.
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, hours, minute + 1);
}
