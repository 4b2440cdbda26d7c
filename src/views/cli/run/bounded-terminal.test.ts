import { describe, expect, it } from 'vitest';
import { recordingTerminal } from '../../../../test/support/terminal.js';
import { boundedTerminal } from './bounded-terminal.js';

/** What the process does with its listeners when it ends. */
function endProcess(before: readonly unknown[]): void {
  for (const listener of process.listeners('exit')) {
    if (before.includes(listener)) continue;
    process.removeListener('exit', listener);
    listener(0);
  }
}

describe('a terminal that is a file', () => {
  it('does not grow without end, and has the beginning and the end', () => {
    const before = process.listeners('exit');
    const file = recordingTerminal();
    const terminal = boundedTerminal(file, 1000);
    for (let line = 1; line <= 10_000; line += 1) terminal.say(`line ${line}`);
    terminal.note('x'.repeat(100_000));
    expect(file.out().length).toBeLessThan(1001);
    endProcess(before);
    expect(file.out().length + file.err().length).toBeLessThan(5000);
    expect(file.out()).toMatch(/^line 1\nline 2\n/);
    expect(file.out()).toContain('pawl logs');
    expect(file.out()).toContain('\nline 10000\n');
  });

  it('is as any other for what is short', () => {
    const before = process.listeners('exit');
    const file = recordingTerminal();
    const terminal = boundedTerminal(file);
    terminal.say('one');
    terminal.say();
    terminal.note('two');
    endProcess(before);
    expect([file.out(), file.err()]).toEqual(['one\n\n', 'two\n']);
  });
});
