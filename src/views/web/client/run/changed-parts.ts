import { diffWordsWithSpace } from 'diff';

/** A part of a text, by the places of its first character and of the one behind its last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

type Ranges = readonly TextRange[] | undefined;

/** The words of longer lines are not compared. */
const MOST_CHARACTERS = 1000;
/** Lines that have less than this share of their characters in common are different lines. */
const LEAST_COMMON = 0.3;

/** What is different between a line and the one that replaces it; nothing where they are not alike. */
export function changedParts(before: string, after: string): readonly [before: Ranges, after: Ranges] {
  const longest = Math.max(before.length, after.length);
  if (longest === 0 || longest > MOST_CHARACTERS) return [undefined, undefined];
  const parts = diffWordsWithSpace(before, after);
  const common = parts.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length), 0);
  if (common / longest < LEAST_COMMON) return [undefined, undefined];
  return [rangesOf(parts, 'removed'), rangesOf(parts, 'added')];
}

function rangesOf(parts: ReturnType<typeof diffWordsWithSpace>, kind: 'added' | 'removed'): readonly TextRange[] {
  const other = kind === 'added' ? 'removed' : 'added';
  const ranges: TextRange[] = [];
  let start = 0;
  for (const part of parts) {
    if (part[other]) continue;
    const end = start + part.value.length;
    if (part[kind]) ranges.push({ start, end });
    start = end;
  }
  return ranges;
}
