const STEP = String.raw`(?!__proto__(?:[.[]|$))[^\s.[\]"']{1,100}`;
const MOST_STEPS = 20;

/** Where a value lies in a JSON object: `message.content[0].text`. */
export const FIELD_PATH = new RegExp(`^${STEP}(?:\\.${STEP}|\\[\\d{1,6}\\]){0,${MOST_STEPS}}$`);

/** The same, and `[*]` for every entry of a list. */
export const MANY_PATH = new RegExp(`^${STEP}(?:\\.${STEP}|\\[(?:\\d{1,6}|\\*)\\]){0,${MOST_STEPS}}$`);

/** What lies there: nothing, one value, or with `[*]` many. Only own properties count, and null is nothing. */
export function valuesAt(root: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [root];
  for (const [, key, position] of path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    found = found.flatMap((value) => (key === undefined ? entriesAt(value, position) : fieldAt(value, key)));
  }
  return found.filter((value) => value !== undefined && value !== null);
}

function fieldAt(value: unknown, key: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.hasOwn(value, key) ? [(value as Readonly<Record<string, unknown>>)[key]] : [];
}

function entriesAt(value: unknown, position: string | undefined): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  return position === '*' ? (value as readonly unknown[]) : [value[Number(position)]];
}
