import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { EXPECTED } from '../bench/stopping/expected/index.js';
import { LATER_EXPECTED } from '../bench/stopping/expected/later/index.js';
import { FAMILIES } from '../bench/stopping/scenarios/index.js';
import { LATER_FAMILIES } from '../bench/stopping/scenarios/later/index.js';

const namesIn = (families: typeof FAMILIES) =>
  Object.values(families)
    .flat()
    .map(({ name }) => name);

it.each([
  ['the first set', FAMILIES, EXPECTED],
  ['the later set', LATER_FAMILIES, LATER_EXPECTED],
] as const)('every scenario of %s has a label, and every label a scenario', (_, families, expected) => {
  expect(Object.keys(expected).toSorted()).toEqual(namesIn(families).toSorted());
});

it('no two scenarios share a name, so no label or outcome replaces another', () => {
  const names = [...namesIn(FAMILIES), ...namesIn(LATER_FAMILIES)];
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('a label can be reached within the iterations that the person allows', () => {
  const unreachable = Object.values(LATER_FAMILIES)
    .flat()
    .filter(({ name, wants }) => (LATER_EXPECTED[name]?.calls[1] ?? 0) > wants.maxIterations);
  expect(unreachable.map(({ name }) => name)).toEqual([]);
});

it('the labels of the later set are those that were written before its rules', () => {
  const labels = JSON.stringify(LATER_EXPECTED);
  expect(createHash('sha256').update(labels).digest('hex').slice(0, 16)).toBe('65fb8c5130e7905b');
});
