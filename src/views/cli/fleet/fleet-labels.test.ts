import { expect, it } from 'vitest';
import { givenLabels, labelsOf } from './fleet-labels.js';

it('labels of both flags count once, also when one keyboard writes a letter in two parts', () => {
  expect(givenLabels({ label: ['gr\u00f6\u00dfe', 'gpu'], labels: ['gro\u0308\u00dfe', '名前', 'gpu'] })).toEqual([
    'gr\u00f6\u00dfe',
    'gpu',
    '名前',
  ]);
});

it.each([
  ['', /must be one word/],
  ['a b', /must be one word/],
  ['a\u0007', /must be one word/],
  ['x'.repeat(101), /must be one word/],
  ['a,b', /^--label: "a,b" has a comma: --labels takes several/],
])('%j is no label', (label, message) => {
  expect(() => labelsOf([label])).toThrow(message);
});
