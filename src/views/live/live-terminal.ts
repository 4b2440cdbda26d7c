import type { CommandContext } from '../cli/command-context.js';
import { isInForeground } from './foreground.js';

/** Where a live view can be shown, and the keys read, if there are any. */
export interface LiveTerminal {
  readonly output: NodeJS.WriteStream;
  readonly input?: NodeJS.ReadStream | undefined;
}

/** The terminal for a live view; undefined where plain lines are right: a pipe, CI, a dumb terminal, the background. */
export function findLiveTerminal({ environment, stdin, stdout, terminal }: CommandContext): LiveTerminal | undefined {
  if (!terminal.isInteractive || !stdout.isTTY || environment['TERM'] === 'dumb' || !isInForeground()) return undefined;
  return { output: stdout, input: stdin.isTTY ? stdin : undefined };
}
