/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object on a line of output. Undefined for anything else: agents also print other text. */
export function jsonObject(line: string): Fields | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields that may be missing or of another type: agents change between versions. */
export function fieldsAt(fields: Fields | undefined, key: string): Fields | undefined {
  const value = own(fields, key);
  return isFields(value) ? value : undefined;
}

export function listAt(fields: Fields | undefined, key: string): readonly Fields[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textAt(fields: Fields | undefined, key: string): string | undefined {
  const value = own(fields, key);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(fields: Fields | undefined, key: string): number | undefined {
  const value = own(fields, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A value as JSON. A value that could be read may be nested too deeply to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
}

function own(fields: Fields | undefined, key: string): unknown {
  return fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
}
