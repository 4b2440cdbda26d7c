import type { CommandContext } from '../command-context.js';
import type { Terminal } from '../../text/terminal.js';

const MOST_BYTES = 1024 * 1024;
const LAST_LINES = 60;
const LONGEST_KEPT = 2000;

/** For a run in the background, whose output is kept in a file. */
export function withBoundedTerminal(context: CommandContext): CommandContext {
  return { ...context, terminal: boundedTerminal(context.terminal) };
}

/**
 * A terminal for what is kept in a file: the beginning, and the last lines when the process ends. A run of many thousand
 * iterations does not fill the disk with what its journal has anyway.
 */
export function boundedTerminal(terminal: Terminal, mostBytes: number = MOST_BYTES): Terminal {
  let written = 0;
  let left: string[] = [];
  const keep = (line: string) => {
    if (left.length === 0) process.once('exit', flush);
    left.push(line.slice(0, LONGEST_KEPT));
    if (left.length > LAST_LINES * 2) left = left.slice(-LAST_LINES);
  };
  const flush = () => {
    terminal.say('… some lines are left out; pawl logs prints all of them …');
    for (const line of left.slice(-LAST_LINES)) terminal.say(line);
  };
  const bounded = (write: (text: string) => void) => (text: string) => {
    written += Buffer.byteLength(text) + 1;
    if (written <= mostBytes) write(text);
    else keep(text);
  };
  const say = bounded(terminal.say);
  const raw = bounded(terminal.raw);
  return {
    ...terminal,
    say: (line = '') => say(line),
    raw: (text) => raw(typeof text === 'string' ? text : Buffer.from(text).toString('utf8')),
    note: bounded(terminal.note),
  };
}
