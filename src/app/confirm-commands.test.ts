import { describe, expect, it } from 'vitest';
import { hangingLines } from '../views/text/terminal.js';
import { commandLines } from './confirm-commands.js';

const LONG = './make.sh --size large --colours 16 '.repeat(4).trim();

const COMMANDS = [
  { path: 'generate.command', what: 'generate.command', place: 'pipeline.yaml:3:12' },
  { path: 'audit.command', what: 'audit.command', place: 'pipeline.yaml:14:8' },
].map((command) => ({ ...command, shown: LONG, whole: LONG }));

describe('the commands that somebody is asked about', () => {
  it.each([80, 81, 100, 120])('have their places at the end of their first lines in %d columns', (columns) => {
    const lines = commandLines(COMMANDS, columns);
    // As a note of the terminal is written.
    expect(lines.flatMap((line) => hangingLines(line, columns - 1))).toEqual(lines);
    expect(lines.filter((line) => line.endsWith('pipeline.yaml:3:12'))).toHaveLength(1);
    expect(lines.find((line) => line.includes('pipeline.yaml:14:8'))).toMatch(/^ {2}audit\.command +\.\/make\.sh/);
  });
});
