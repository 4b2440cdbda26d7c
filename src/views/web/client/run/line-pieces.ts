import type { TextRange } from './changed-parts.js';

/** A part of a line with what it is in its language. */
export interface Token extends TextRange {
  readonly type: string;
}

export interface LinePiece {
  readonly text: string;
  readonly isChanged: boolean;
  readonly token?: string | undefined;
}

/** A line in the pieces that look different. Every character of it is in one of them. */
export function linePieces(
  text: string,
  changed: readonly TextRange[] = [],
  tokens: readonly Token[] = [],
): readonly LinePiece[] {
  const ends = [...changed, ...tokens].flatMap(({ start, end }) => [start, end]).filter((at) => at < text.length);
  const cuts = [...new Set([0, ...ends, text.length])].toSorted((a, b) => a - b);
  return cuts.slice(0, -1).map((start, index) => ({
    text: text.slice(start, cuts[index + 1]),
    isChanged: changed.some((range) => range.start <= start && start < range.end),
    token: tokens.find((range) => range.start <= start && start < range.end)?.type,
  }));
}
