import { describe, expect, it } from 'vitest';
import { printable } from './printable.js';

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
