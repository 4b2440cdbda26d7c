import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXPECTED } from '../bench/stopping/expected/index.js';
import { LATER_EXPECTED } from '../bench/stopping/expected/later/index.js';
import { renderLater } from '../bench/stopping/render-later.js';
import { readResults } from '../bench/stopping/results-file.js';
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

it('every scenario of the later set has an outcome from before its rules and one of now', () => {
  const { before = [], outcomes } = readResults('later');
  const names = namesIn(LATER_FAMILIES);
  expect(before.map(({ scenario }) => scenario)).toEqual(names);
  expect(outcomes.map(({ scenario }) => scenario)).toEqual(names);
});

it('the outcomes from before the rules of the later set stay as they were recorded', () => {
  const { before = [] } = readResults('later');
  const places = before.map(({ scenario, calls, ending }) => `${scenario} ${calls} ${ending}`).join('\n');
  expect(createHash('sha256').update(places).digest('hex').slice(0, 16)).toBe('d98038e1af2f88cb');
});

it('the page of the later set shows its results', () => {
  expect(readFileSync('bench/stopping/results/later.md', 'utf8')).toBe(renderLater(readResults('later')));
});
