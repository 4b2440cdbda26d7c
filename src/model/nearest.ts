import type { Issue } from './errors.js';

/** The candidate that a person most likely meant, or undefined when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? '' : `; did you mean "${candidate}"?`;
}

/** An issue for every key that is unknown, such as a misspelt one, whose value would be ignored. */
export function unknownKeys(given: object, known: readonly string[], what: 'key' | 'option' = 'key'): readonly Issue[] {
  return Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: key, message: `unknown ${what}${didYouMean(key, known)}`, unknownKey: true }));
}

/** Insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : substituted;
      next.push(Math.min(substituted, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
