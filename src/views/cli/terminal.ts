import { styleText } from 'node:util';
import { printable } from '../terminal/printable.js';

type Style = Parameters<typeof styleText>[0];

/** Where a command writes: results to `out`, everything else to `err`. Text from outside is made safe on the way. */
export interface Terminal {
  /** One line of result. */
  readonly say: (line?: string) => void;
  /** Result as it is, for machines: JSON escapes what a terminal could take for a command. */
  readonly raw: (text: string) => void;
  /** One line for people that is no result. */
  readonly note: (line: string) => void;
  /** Colours a text if the output is a terminal that wants them. Safe for text from outside. */
  readonly style: (style: Style, text: string) => string;
  readonly isInteractive: boolean;
  readonly columns: number;
}

export function createTerminal(
  out: NodeJS.WriteStream = process.stdout,
  err: NodeJS.WriteStream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): Terminal {
  const colours = wantsColours(out, env);
  return {
    say: (line = '') => void out.write(`${line}\n`),
    raw: (text) => void out.write(text),
    note: (line) => void err.write(`${line}\n`),
    style: (style, text) => (colours ? styleText(style, printable(text)) : printable(text)),
    isInteractive: out.isTTY && env['CI'] === undefined,
    columns: Math.max(40, Math.min(out.columns ?? 80, 100)),
  };
}

function wantsColours(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  return out.isTTY && env['TERM'] !== 'dumb';
}

/** Breaks a sentence into lines that fit; a word that is longer than a line stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
