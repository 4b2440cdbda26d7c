/** What a tool was called with: the first value, which says most, and the others below it under their names. */
export function toolInput(input: string): string {
  const values = parsed(input);
  if (values === undefined) return input;
  const [first, ...others] = Object.entries(values);
  if (first === undefined) return '';
  return [textOf(first[1]), ...others.map(([name, value]) => `${name}: ${textOf(value)}`)].join('\n');
}

function parsed(input: string): object | undefined {
  if (!input.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // It may have been cut to keep the record small.
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
