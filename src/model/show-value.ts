export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a message may show it: short, on one line, without control characters. */
export function showValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list';
  if (isRecord(value)) return 'a mapping';
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return clip(JSON.stringify(value.slice(0, 100)));
  if (typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'symbol') return clip(String(value));
  return 'a function';
}

/** An untrusted name inside a message: short, and with nothing in it that a terminal would obey. */
export function clip(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return short.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
