import { printable } from '../../src/words/printable.js';
import { type CommandContext, createContext } from '../../src/views/cli/command-context.js';
import type { Terminal } from '../../src/views/text/terminal.js';

/** A terminal that keeps what is written to it. */
export function recordingTerminal(columns = 80): Terminal & { readonly out: () => string; readonly err: () => string } {
  const out: string[] = [];
  const err: string[] = [];
  return {
    say: (line = '') => void out.push(`${line}\n`),
    raw: (text) => void out.push(typeof text === 'string' ? text : Buffer.from(text).toString()),
    note: (line) => void err.push(`${line}\n`),
    style: (_, text) => printable(text),
    isScreen: false,
    isInteractive: false,
    columns,
    out: () => out.join(''),
    err: () => err.join(''),
  };
}

/** The context of this process, with another terminal. */
export function contextOf(terminal: Terminal): CommandContext {
  return { ...createContext(process), terminal };
}
