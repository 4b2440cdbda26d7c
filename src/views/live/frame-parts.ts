import type { Style, Terminal } from '../cli/terminal.js';
import type { LiveRecord } from './live-record.js';
import type { RankedLine } from './ranked-line.js';

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
