import { describe, expect, it } from 'vitest';
import { printable, charactersOf, clipLine, fit, lineWidth, oneLine, textWidth } from './printable.js';
import fc from 'fast-check';

const ESC = '\u001b';

describe('text from outside on a terminal', () => {
  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['cursor movement', `a${ESC}[2J${ESC}[Hb`, 'ab'],
    ['a title', `${ESC}]0;evil\u0007text`, 'text'],
    ['a link', `${ESC}]8;;http://x${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
    ['the clipboard', `${ESC}]52;c;aGk=\u0007ok`, 'ok'],
    ['a device string', `${ESC}Pq#0${ESC}\\ok`, 'ok'],
    ['eight-bit controls', '\u009b31mred\u009d0;t\u009cok', 'redok'],
    ['an unfinished sequence', `ok${ESC}[31`, 'ok'],
    ['a lone escape', `a${ESC}`, 'a'],
    ['bells and backspaces', 'a\u0007\u0008b\r', 'ab'],
    ['direction marks', 'a\u202Eb\u2066c', 'abc'],
    ['invisible characters', 'a\u200Bb\uFEFFc\u2028d', 'abcd'],
    ['tag characters that hide an instruction', 'a\u{E0001}\u{E0069}\u{E0067}\u{E007F}b', 'ab'],
    ['variation selectors that hide bytes', 'a\uFE00\u{E0100}\u{E01EF}b', 'ab'],
    ['fillers that are drawn as nothing', 'a\u034F\u115F\u180E\u3164\uFFA0b', 'ab'],
    ['an emoji keeps its style', '❤\uFE0F', '❤\uFE0F'],
    ['newlines and tabs stay', 'a\n\tb', 'a\n\tb'],
    ['letters of the world stay', 'äß漢字🦊', 'äß漢字🦊'],
  ])('%s', (_, text, shown) => expect(printable(text)).toBe(shown));
});

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['한국어', 6],
    ['ｶﾅ', 2],
    ['ＡＢ', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['⚠\ufe0f', 2],
    ['→ …█░', 5],
    ['\u{e0041}', 0],
  ])('%s', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('is never less than what some terminal takes', () => {
    expect(textWidth('👍🏽')).toBeGreaterThanOrEqual(2);
    expect(textWidth('🇩🇪')).toBeGreaterThanOrEqual(2);
  });
});

describe('the characters of a text', () => {
  it('are those of the segmenter, however it is cut into pieces for it', () => {
    const unit = fc.constantFrom(
      'a',
      ' ',
      'é',
      'e\u0301',
      'я',
      '日',
      'カ',
      '\u3099',
      '👍',
      '🏽',
      '\u200d',
      '🇩',
      '\u0600',
      'क',
      '\u094d',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
        const text = units.join('');
        expect(charactersOf(text)).toEqual(Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a text that is too long', () => {
  it('is cut between characters, not within a wide one', () => {
    expect(fit('日本語です', 6)).toBe('日本…');
    expect(fit('日本語', 6)).toBe('日本語');
    expect(fit('abcdef', 4)).toBe('abc…');
    expect(fit('abc', 0)).toBe('');
  });

  it('a mark stays with its letter', () => {
    expect(fit('ae\u0301bcd', 3)).toBe('ae\u0301…');
  });

  it('a tower of marks is taken down', () => {
    expect(fit(`a${'\u0301'.repeat(5000)}b`, 10).length).toBeLessThan(20);
  });

  it('on one line takes columns, not characters', () => {
    expect(textWidth(oneLine('日本語'.repeat(100), 20))).toBeLessThanOrEqual(20);
    expect(oneLine('a b', 10)).toBe('a b');
    expect(oneLine('x'.repeat(1000), 5)).toBe('xxxx…');
  });
});

describe('a coloured line', () => {
  it('is cut by what is seen, and its colours end', () => {
    expect(clipLine('\u001b[31mabcdef\u001b[39m', 4)).toBe('\u001b[31mabc…\u001b[39m');
    expect(clipLine('\u001b[31m日本語\u001b[39m', 5)).toBe('\u001b[31m日本…\u001b[39m');
    expect(lineWidth('\u001b[1mab\u001b[22m日')).toBe(4);
  });

  it('stays as it is where it fits', () => {
    expect(clipLine('\u001b[31mab\u001b[39m', 2)).toBe('\u001b[31mab\u001b[39m');
  });

  it.each(['\u001b[2J', '\u001b[3A', '\u001b]8;;http://x\u0007', '\u001bc', '\u009b2J', '\u0007', '\u202e'])(
    'loses %j',
    (hostile) => {
      expect(clipLine(`a${hostile}b`, 10)).toBe('ab');
    },
  );
});
