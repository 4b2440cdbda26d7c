/** A line and how much it is needed: where there is no room the highest ranks go first. */
export interface RankedLine {
  readonly text: string;
  readonly rank: number;
}

export function ranked(texts: readonly string[], rank: number): readonly RankedLine[] {
  return texts.map((text) => ({ text, rank }));
}

export function keepMost(lines: readonly RankedLine[], height: number): readonly RankedLine[] {
  const byNeed = lines
    .map((line, index) => ({ line, index }))
    .toSorted((a, b) => a.line.rank - b.line.rank || a.index - b.index);
  const kept = new Set(byNeed.slice(0, height).map(({ line }) => line));
  return lines.filter((line) => kept.has(line));
}
