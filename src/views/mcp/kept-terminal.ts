import type { Terminal } from '../text/terminal.js';
import { printable } from '../../words/printable.js';

const COLUMNS = 100;

/** Takes what a command would say to a person, where only the protocol may be written. */
export interface KeptTerminal extends Terminal {
  readonly notes: readonly string[];
}

export function keptTerminal(): KeptTerminal {
  const notes: string[] = [];
  return {
    say: () => undefined,
    raw: () => undefined,
    note: (line) => void notes.push(line),
    style: (_, text) => printable(text),
    isScreen: false,
    isInteractive: false,
    columns: COLUMNS,
    notes,
  };
}
