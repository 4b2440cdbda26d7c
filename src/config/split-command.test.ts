import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTimeMs } from '../../test/support/cpu-time.js';
import { splitCommand } from './split-command.js';

describe('splitCommand', () => {
  it.each([
    ['claude', ['claude']],
    ['  npx  claude --verbose ', ['npx', 'claude', '--verbose']],
    ['"my agent" \'a b\'c', ['my agent', 'a bc']],
    ['x \'\' ""', ['x', '', '']],
    ['a\\ b "\\"\\$"', ['a b', '"$']],
    ["x '$HOME | ls'", ['x', '$HOME | ls']],
    ['x "a\\nb"', undefined],
    ['', undefined],
    ['   ', undefined],
    ['""', undefined],
    ['a | b', undefined],
    ['a; rm -rf /', undefined],
    ['a && b', undefined],
    ['a > b', undefined],
    ['a $(b)', undefined],
    ['a "$(b)"', undefined],
    ['a `b`', undefined],
    ['a $HOME', undefined],
    ['a *', undefined],
    ['a "open', undefined],
    ["a 'open", undefined],
    ['a \\', undefined],
    ['a\nb', ['a', 'b']],
    ['a \0', undefined],
  ])('%j', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it('gives back any words that were quoted for a shell', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        const line = words.map((text) => `'${text.replaceAll("'", "'\\''")}'`).join(' ');
        expect(splitCommand(line)).toEqual(words);
      }),
    );
  });

  it('does not hang on a long line that has no end', () => {
    const splitAll = () => {
      for (const piece of ['a', '\\a', "''", '"a"', '"', 'a ']) splitCommand(`${piece.repeat(200_000)}|`);
    };
    expect(cpuTimeMs(splitAll)).toBeLessThan(5000);
  });
});
