/**
 * Reads "2 failed, 1,234 passed" or "2 failed | 3 passed": each number under its word, in any order. Undefined when a
 * part is something else, or not one of the words that are known, for then it is no summary or one that is cut off.
 */
export function countedWords(
  text: string,
  separator: string,
  known: ReadonlySet<string>,
): ReadonlyMap<string, number> | undefined {
  const words = new Map<string, number>();
  for (const part of text.split(separator)) {
    const match = /^(\d[\d,]*) ([a-z][a-z ()]*)$/i.exec(part.trim());
    if (match === null) return undefined;
    const [, count = '', word = ''] = match;
    if (!known.has(word)) return undefined;
    words.set(word, (words.get(word) ?? 0) + wholeNumber(count));
  }
  return words;
}

export function wholeNumber(digits: string | undefined): number {
  return Number((digits ?? '0').replaceAll(',', ''));
}

/** The sum of what stands under these words. */
export function sumOf(words: ReadonlyMap<string, number>, ...names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (words.get(name) ?? 0), 0);
}
