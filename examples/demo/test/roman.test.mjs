import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromRoman, toRoman } from '../roman.mjs';

const NUMERALS = { 1: 'I', 3: 'III', 6: 'VI', 62: 'LXII', 4: 'IV', 9: 'IX', 44: 'XLIV', 1994: 'MCMXCIV' };

for (const [number, text] of Object.entries(NUMERALS)) {
  test(`${number} is ${text}`, () => assert.equal(toRoman(Number(number)), text));
}
for (const text of ['VII', 'XC', 'MMXXVI']) {
  test(`${text} there and back`, () => assert.equal(toRoman(fromRoman(text)), text));
}
test('0 is no Roman number', () => assert.throws(() => toRoman(0), RangeError));
