const SHOWN = 80;
const BEFORE = 20;

/** Two texts that are not the same, such as `10 is now 9`; of long ones the part in which they differ. */
export function differenceText(before: string | undefined, now: string | undefined): string {
  if (before === undefined) return `was not set, is now ${excerpt(now ?? '', 0)}`;
  if (now === undefined) return `${excerpt(before, 0)} is no longer set`;
  const isLong = Math.max(before.length, now.length) > SHOWN;
  const from = isLong ? Math.max(0, firstDifference(before, now) - BEFORE) : 0;
  return `${excerpt(before, from)} is now ${excerpt(now, from)}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function excerpt(text: string, from: number): string {
  const end = from + SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
}
