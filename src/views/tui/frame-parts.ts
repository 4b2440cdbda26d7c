import type { Style, Terminal } from '../text/terminal.js';
import type { LiveRecord } from '../text/live-record.js';

/** Where a run is, in a few words, and how they look. */
export type Where = readonly [text: string, style: Style];

/** What loops and pipelines show each in their own way. Functions of the record and the time. */
export interface FrameParts {
  readonly where: (record: LiveRecord, nowMs: number, isLive: boolean) => Where;
  /** The lines between the headline and the keys; `height` is that of the whole frame. */
  readonly middle: (
    input: { readonly record: LiveRecord; readonly nowMs: number; readonly isLive: boolean },
    height: number,
    terminal: Terminal,
  ) => readonly RankedLine[];
}

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
