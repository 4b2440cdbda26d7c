import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { expect, it } from 'vitest';
import { jsonText } from './json-text.js';

it('JSON holds nothing that a terminal obeys or nobody sees, and reads back as the same value', () => {
  const unseen = '\u0000\u001b\u007f\u009b\u00ad\u200b\u200e\u2028\u202e\u2066\ufeff\u{e0001}\u{e0069}\u{e0100}';
  expect(jsonText({ [unseen]: unseen })).not.toMatch(/[^\u0020-\u007e]/);
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: anyCharacter }), (value, text) => {
      const whole = { value, text: `${text}${unseen}` };
      expect(JSON.parse(jsonText(whole, 2))).toEqual(JSON.parse(JSON.stringify(whole)));
      expect(jsonText(whole)).not.toMatch(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/);
    }),
  );
});
