import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { describe, expect, it } from 'vitest';
import { visible, visibleLines } from '../../words/printable.js';

const ESC = '\u001b';

describe('a command that somebody is to confirm', () => {
  it.each([
    ['an unfinished title does not swallow what follows', `npm test # ${ESC}]0; touch PWNED`, '\\x1b]0; touch PWNED'],
    [
      'a whole title is there with its contents',
      `a # ${ESC}]0;\n touch PWNED;#\u0007`,
      String.raw`a # \x1b]0;\n touch PWNED;#\x07`,
    ],
    ['a device string', `${ESC}Pq; rm x${ESC}\\`, String.raw`\x1bPq; rm x\x1b\\`],
    ['eight-bit controls', '\u009b2K\u009d', String.raw`\x9b2K\x9d`],
    ['a return that would overwrite the line', 'rm x\rnpm test', String.raw`rm x\rnpm test`],
    ['a tab', 'a\tb', String.raw`a\tb`],
    ['text that runs backwards', 'a\u202eb\u2066', String.raw`a\u202eb\u2066`],
    ['what is drawn as nothing', 'a\u200b\u00ad\u3164\u{e0041}b', String.raw`a\u200b\xad\u3164\u{e0041}b`],
    ['blanks that are none', 'a\u00a0\u3000\u2800b', String.raw`a\xa0\u3000\u2800b`],
    ['half a character', 'a\ud800b', String.raw`a\ud800b`],
    ['blanks that push the rest out of sight', `a${' '.repeat(9)}b`, `a${'\\x20'.repeat(9)}b`],
    ['letters of the world stay', 'äß漢字🦊 --x="y"', 'äß漢字🦊 --x="y"'],
    ['a backslash stays', String.raw`printf 'a\n'`, String.raw`printf 'a\n'`],
    ['a backslash beside a line break is told from it', 'a\\n\n', String.raw`a\\n\n`],
  ])('%s', (_, text, shown) => expect(visible(text)).toContain(shown));

  it('has its lines one below the other, and none of them is cut', () => {
    expect(visibleLines('npm test # \n touch PWNED', 40)).toEqual([String.raw`npm test # \n`, ' touch PWNED']);
    expect(visibleLines('a very long command of many words', 12)).toEqual([
      'a very long ',
      'command of ',
      'many words',
    ]);
  });

  it('is not broken inside a path that fits on a line', () => {
    const path = '/a/path/that/takes/most/of/it';
    expect(visibleLines(`run ${path} --flag`, 30)).toEqual(['run ', `${path} `, '--flag']);
    expect(visibleLines(`run ${path}${path}`, 30)).toHaveLength(3);
  });

  it('is there to its last character, in whatever width', () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (command, width) => {
        expect(visibleLines(command, width).join('')).toBe(visible(command));
        expect(visible(command)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('is not shown as another is', () => {
    const text = fc.string({ unit: fc.constantFrom('\\', 'n', '\n', 'x', '2', '0', ' ') });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const areBothEscaped = [one, other].every((command) => command.includes('\n'));
        if (one !== other && areBothEscaped) expect(visible(one)).not.toBe(visible(other));
      }),
    );
  });
});
