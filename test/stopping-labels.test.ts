import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXPECTED } from '../bench/stopping/expected/index.js';
import { PAWL_ONLY_NAMES, PAWL_ONLY_SETS, type PawlOnlyName } from '../bench/stopping/pawl-only-sets.js';
import { renderPawlOnly } from '../bench/stopping/render-pawl-only.js';
import { readResults } from '../bench/stopping/results-file.js';
import { FAMILIES } from '../bench/stopping/scenarios/index.js';

const namesIn = (families: typeof FAMILIES) =>
  Object.values(families)
    .flat()
    .map(({ name }) => name);

const LATER_EXPECTED = PAWL_ONLY_SETS.later.expected;

it.each([
  ['first', { families: FAMILIES, expected: EXPECTED }],
  ...PAWL_ONLY_NAMES.map((name) => [name, PAWL_ONLY_SETS[name]] as const),
] as const)('every scenario of the set %s has a label, and every label a scenario', (_, { families, expected }) => {
  expect(Object.keys(expected).toSorted()).toEqual(namesIn(families).toSorted());
});

it('no two scenarios share a name, so no label or outcome replaces another', () => {
  const names = [FAMILIES, ...Object.values(PAWL_ONLY_SETS).map(({ families }) => families)].flatMap(namesIn);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('a label can be reached within the iterations that the person allows', () => {
  const unreachable = Object.values(PAWL_ONLY_SETS).flatMap(({ families, expected }) =>
    Object.values(families)
      .flat()
      .filter(({ name, wants }) => (expected[name]?.calls[1] ?? 0) > wants.maxIterations),
  );
  expect(unreachable.map(({ name }) => name)).toEqual([]);
});

/** 59 were written before the first rules, 29 before those were repaired, 9 before goals without tests, then 12 and 4 before a second repair, 5 before a default was dropped, 16 before four more repairs, 4 before another, and 5 before two more. */
const FIRST_OF_LATER = 59;
const BEFORE_GOALS = 88;
const BEFORE_WORDING = 97;
const BEFORE_HELPERS = 109;
const BEFORE_ERRORS = 113;
const BEFORE_NIGHTS = 118;
const BEFORE_BEHIND = 134;
const BEFORE_TRADES = 138;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

it('the labels of the later set are those that were written before its rules', () => {
  const labels = Object.entries(LATER_EXPECTED);
  const digest = (part: typeof labels) => digestOf(JSON.stringify(Object.fromEntries(part)));
  expect(digest(labels.slice(0, FIRST_OF_LATER))).toBe('65fb8c5130e7905b');
  expect(digest(labels.slice(FIRST_OF_LATER, BEFORE_GOALS))).toBe('4333e04e6c94bfca');
  expect(digest(labels.slice(BEFORE_GOALS, BEFORE_WORDING))).toBe('1b88c0c7e59da873');
  expect(digest(labels.slice(BEFORE_WORDING, BEFORE_HELPERS))).toBe('031b4dbd63ed5a61');
  expect(digest(labels.slice(BEFORE_HELPERS, BEFORE_ERRORS))).toBe('255241510abfa779');
  expect(digest(labels.slice(BEFORE_ERRORS, BEFORE_NIGHTS))).toBe('1de7c5fdee678e56');
  expect(digest(labels.slice(BEFORE_NIGHTS, BEFORE_BEHIND))).toBe('10dcb0d36d32f98c');
  expect(digest(labels.slice(BEFORE_BEHIND, BEFORE_TRADES))).toBe('513226ef1b519833');
  expect(digest(labels.slice(BEFORE_TRADES))).toBe('b4adffd240ebdcab');
});

it.each([
  ['unseen', 'c9bc728f7a5ecabc'],
  ['further', 'ab12564e507e0fa7'],
  ['adversary', '173414056cab13cb'],
  ['nights', '94dd2aa52e52ed54'],
  ['recorded', '1c47d3cc06969d96'],
  ['trades', '8bd83b4e8f511762'],
] as const)('the labels of the %s set are those that were committed before its first play', (name, digest) => {
  expect(digestOf(JSON.stringify(PAWL_ONLY_SETS[name].expected))).toBe(digest);
});

it.each(PAWL_ONLY_NAMES)('every scenario of the %s set has a first outcome and one of now', (name) => {
  const { before = [], outcomes } = readResults(name);
  const names = namesIn(PAWL_ONLY_SETS[name].families);
  expect(before.map(({ scenario }) => scenario)).toEqual(names);
  expect(outcomes.map(({ scenario }) => scenario)).toEqual(names);
});

const firstPlaces = (name: PawlOnlyName) =>
  (readResults(name).before ?? []).map(({ scenario, calls, ending }) => `${scenario} ${calls} ${ending}`);

it('the outcomes from before the rules of the later set stay as they were recorded', () => {
  const places = firstPlaces('later');
  expect(digestOf(places.slice(0, FIRST_OF_LATER).join('\n'))).toBe('d98038e1af2f88cb');
  expect(digestOf(places.slice(FIRST_OF_LATER, BEFORE_GOALS).join('\n'))).toBe('268177a915b5524c');
  expect(digestOf(places.slice(BEFORE_GOALS, BEFORE_WORDING).join('\n'))).toBe('8ebf41ec2518933b');
  expect(digestOf(places.slice(BEFORE_WORDING, BEFORE_HELPERS).join('\n'))).toBe('3d8dd0ee9d6adf4a');
  expect(digestOf(places.slice(BEFORE_HELPERS, BEFORE_ERRORS).join('\n'))).toBe('e13611a566d05066');
  expect(digestOf(places.slice(BEFORE_ERRORS, BEFORE_NIGHTS).join('\n'))).toBe('e752ab766d245e8b');
  expect(digestOf(places.slice(BEFORE_NIGHTS, BEFORE_BEHIND).join('\n'))).toBe('919e1255771051e0');
  expect(digestOf(places.slice(BEFORE_BEHIND, BEFORE_TRADES).join('\n'))).toBe('45e37e60d78521bf');
  expect(digestOf(places.slice(BEFORE_TRADES).join('\n'))).toBe('a90042d277927465');
});

it.each([
  ['unseen', '5d0b8076a862d552'],
  ['further', '17811d019da5d422'],
  ['adversary', 'b08e0219ef231df5'],
  ['nights', 'd122c2853786a477'],
  ['recorded', '1dfe89fafe5b7339'],
  ['trades', '6bfbc4d870221fab'],
] as const)('the outcomes of the first play of the %s set stay as they were recorded', (name, digest) => {
  expect(digestOf(firstPlaces(name).join('\n'))).toBe(digest);
});

it.each(PAWL_ONLY_NAMES)('the page of the %s set shows its results', (name) => {
  expect(readFileSync(`bench/stopping/results/${name}.md`, 'utf8')).toBe(renderPawlOnly(name, readResults(name)));
});

it('the guide has the figures of each set', () => {
  const guide = readFileSync('docs/guide/deciding.md', 'utf8');
  const right = (outcomes: readonly { readonly isRight: boolean }[]) =>
    outcomes.filter(({ isRight }) => isRight).length;
  for (const name of PAWL_ONLY_NAMES) {
    const { before = [], outcomes } = readResults(name);
    const row = `/${name}.md) | ${outcomes.length} | ${right(before)} | ${right(outcomes)} |`;
    expect(guide, name).toContain(row);
  }
  const first = readResults().outcomes.filter(({ runner }) => runner === 'Pawl');
  expect(guide).toContain(
    `Of the [${first.length} scenarios](../../bench/stopping/results/latest.md) in the benchmark, Pawl ends ${right(first)} as`,
  );
});
