import { readFileSync } from 'node:fs';
import type { TextContext } from './text-context.js';

/** Where a live view can be shown, and the keys read, if there are any. */
export interface LiveTerminal {
  readonly output: NodeJS.WriteStream;
  readonly input?: NodeJS.ReadStream | undefined;
}

interface ProcessTerminal extends TextContext {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** The terminal for a live view; undefined where plain lines are right: a pipe, CI, a dumb terminal, the background. */
export function findLiveTerminal({ environment, stdin, stdout, terminal }: ProcessTerminal): LiveTerminal | undefined {
  if (!terminal.isInteractive || !stdout.isTTY || environment['TERM'] === 'dumb' || !isInForeground()) return undefined;
  return { output: stdout, input: stdin.isTTY ? stdin : undefined };
}

/**
 * Whether this process may use its terminal: one in the background that changes the terminal's mode or reads from it is
 * stopped by the system. Where that is not known it is taken to be so.
 */
export function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return foregroundGroup === '-1' || group === foregroundGroup;
  } catch {
    return true;
  }
}
