/** Whether two values are the same in a record, where what is undefined is left out. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((entry, index) => isSameJson(entry, b[index]));
  }
  return hasAll(a, b) && hasAll(b, a, true);
}

function hasAll(some: object, others: object, keysOnly = false): boolean {
  for (const key of Object.keys(some)) {
    const value = (some as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) continue;
    const other = Object.hasOwn(others, key) ? (others as Readonly<Record<string, unknown>>)[key] : undefined;
    if (keysOnly ? other === undefined : !isSameJson(value, other)) return false;
  }
  return true;
}
