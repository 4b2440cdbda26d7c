import { styleText } from 'node:util';
import type { Environment } from '../../journal/run-places.js';
import { EXIT_CODES } from '../../model/exit-code.js';
import { printable, textWidth, lineWidth } from '../../words/printable.js';

/** Whether there are colours is decided here, by the stream that is written to. */
const DECIDED = { validateStream: false };

export type Style = Parameters<typeof styleText>[0];

/** Where a command writes: results to `out`, everything else to `err`. Text from outside is made safe on the way. */
export interface Terminal {
  /** One line of result. */
  readonly say: (line?: string) => void;
  /** Result as it is, for machines: JSON escapes what a terminal could take for a command. */
  readonly raw: (text: string | Uint8Array) => void;
  /** One line for people that is no result. */
  readonly note: (line: string) => void;
  /** Colours a text if the output is a terminal that wants them. Safe for text from outside. */
  readonly style: (style: Style, text: string) => string;
  /** Results go to a screen, and not into a pipe or a file. */
  readonly isScreen: boolean;
  /** And someone sits before it. */
  readonly isInteractive: boolean;
  readonly columns: number;
  /** What is known of the reader of the results; nothing where they are kept. */
  readonly outlet?: Outlet | undefined;
  /** Hands the screen to a view: what others have to say goes through it. Returns a function that takes it back. */
  readonly lend?: ((take: (line: string) => void) => () => void) | undefined;
}

/** The way to a reader who may be slow, stuck or gone. */
interface Outlet {
  /** Written and not read yet. */
  readonly backlogBytes: () => number;
  readonly isClosed: () => boolean;
  /** Resolves when everything is read, or no one will read it. */
  readonly drained: () => Promise<void>;
}

export function createTerminal(out: NodeJS.WriteStream, err: NodeJS.WriteStream, env: Environment): Terminal {
  const colours = wantsColours(out, env);
  let lentTo: ((line: string) => void) | undefined;
  const sayTo = (stream: NodeJS.WriteStream, line: string) => {
    if (lentTo !== undefined && stream.isTTY) lentTo(line);
    else stream.write(`${line}\n`);
  };
  return {
    say: (line = '') => sayTo(out, line),
    raw: (text) => void out.write(text),
    note: (line) => {
      const lines = err.isTTY ? hangingLines(line, (err.columns || 80) - 1) : [line];
      for (const each of lines) sayTo(err, each);
    },
    style: (style, text) => (colours ? styleText(style, printable(text), DECIDED) : printable(text)),
    isScreen: out.isTTY,
    isInteractive: out.isTTY && !isCi(env),
    columns: Math.max(40, Math.min(out.columns ?? 80, 100)),
    outlet: outletOf(out),
    lend: (take) => {
      lentTo = take;
      return () => (lentTo = undefined);
    },
  };
}

function outletOf(out: NodeJS.WriteStream): Outlet {
  return {
    backlogBytes: () => out.writableLength,
    isClosed: () => isReaderGone(out),
    drained: () =>
      new Promise((resolve) => {
        const settle = () => {
          out.off('drain', settle).off('error', settle).off('close', settle);
          resolve();
        };
        if (!out.writableNeedDrain || isReaderGone(out)) resolve();
        else out.on('drain', settle).on('error', settle).on('close', settle);
      }),
  };
}

function wantsColours(out: NodeJS.WriteStream, env: Environment): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (isOn(env['FORCE_COLOR'])) return true;
  return out.isTTY && env['TERM'] !== 'dumb' && !isCi(env);
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}

function isCi(env: Environment): boolean {
  return isOn(env['CI']);
}

/** Breaks a sentence into lines that fit; a word that is longer than a line stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let columns = 0;
  for (const word of text.split(/\s+/)) {
    const own = textWidth(word);
    const isFirst = line === '';
    if (!isFirst && columns + 1 + own > width) {
      lines.push(line);
      line = word;
      columns = own;
    } else {
      line = isFirst ? word : `${line} ${word}`;
      columns = isFirst ? own : columns + 1 + own;
    }
  }
  return [...lines, line];
}

/** The reader of the other end has closed it, or the terminal is gone. */
const GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

const watched = new WeakSet<object>();
const gone = new WeakSet<object>();

/** `pawl ... | head` ends the view and nothing else. A full disk is said, not thrown. */
export function exitQuietlyWhenClosed(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): void {
  for (const stream of [stdout, stderr]) {
    if (watched.has(stream)) continue;
    watched.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      gone.add(stream);
      if (GONE.has(error.code)) return;
      if (stream === stdout) stderr.write(`pawl: the output cannot be written: ${error.message}\n`);
      // How a run ended is more than that no one could read it.
      process.exitCode ||= EXIT_CODES.error;
    });
  }
}

function isReaderGone(stream: object): boolean {
  return gone.has(stream);
}

interface BlockingHandle {
  setBlocking(isBlocking: boolean): number;
}

/**
 * Node writes to a terminal with blocking calls: Ctrl-S, or a remote terminal that hangs, would hold up the loop and its
 * limits. Where Node offers the switch, what is written waits in memory instead.
 */
export function unblockTerminal(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    const { _handle: handle } = stream as { readonly _handle?: Partial<BlockingHandle> | null };
    if (stream.isTTY && typeof handle?.setBlocking === 'function') handle.setBlocking(false);
  }
}

/** Lines that fit, broken at words; what continues is indented by two more. A word that is longer than a line stays whole. */
export function hangingLines(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => (lineWidth(line) <= columns ? [line] : broken(line, columns)));
}

function broken(line: string, columns: number): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  // With the blanks before it: a command that is shown keeps all that it has.
  for (const [word] of line.slice(indent.length).matchAll(/\s*\S+/g)) {
    if (current.trim() !== '' && lineWidth(current + word) > columns) {
      lines.push(current);
      current = `${indent}  ${word.trimStart()}`;
    } else current += word;
  }
  return [...lines, current];
}
