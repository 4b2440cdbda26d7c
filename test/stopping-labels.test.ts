import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ADVERSARY_EXPECTED } from '../bench/stopping/expected/adversary/index.js';
import { EXPECTED } from '../bench/stopping/expected/index.js';
import { FURTHER_EXPECTED } from '../bench/stopping/expected/further/index.js';
import { LATER_EXPECTED } from '../bench/stopping/expected/later/index.js';
import { NIGHTS_EXPECTED } from '../bench/stopping/expected/nights/index.js';
import { RECORDED_EXPECTED } from '../bench/stopping/expected/recorded/index.js';
import { UNSEEN_EXPECTED } from '../bench/stopping/expected/unseen/index.js';
import {
  renderAdversary,
  renderFurther,
  renderLater,
  renderNights,
  renderRecorded,
  renderUnseen,
} from '../bench/stopping/render-pawl-only.js';
import { type ResultsName, readResults } from '../bench/stopping/results-file.js';
import { ADVERSARY_FAMILIES } from '../bench/stopping/scenarios/adversary/index.js';
import { FURTHER_FAMILIES } from '../bench/stopping/scenarios/further/index.js';
import { FAMILIES } from '../bench/stopping/scenarios/index.js';
import { LATER_FAMILIES } from '../bench/stopping/scenarios/later/index.js';
import { NIGHTS_FAMILIES } from '../bench/stopping/scenarios/nights/index.js';
import { RECORDED_FAMILIES } from '../bench/stopping/scenarios/recorded/index.js';
import { UNSEEN_FAMILIES } from '../bench/stopping/scenarios/unseen/index.js';

const PAWL_ONLY = [
  LATER_FAMILIES,
  UNSEEN_FAMILIES,
  FURTHER_FAMILIES,
  ADVERSARY_FAMILIES,
  NIGHTS_FAMILIES,
  RECORDED_FAMILIES,
];

const namesIn = (families: typeof FAMILIES) =>
  Object.values(families)
    .flat()
    .map(({ name }) => name);

it.each([
  ['the first set', FAMILIES, EXPECTED],
  ['the later set', LATER_FAMILIES, LATER_EXPECTED],
  ['the unseen set', UNSEEN_FAMILIES, UNSEEN_EXPECTED],
  ['the further set', FURTHER_FAMILIES, FURTHER_EXPECTED],
  ['the adversary set', ADVERSARY_FAMILIES, ADVERSARY_EXPECTED],
  ['the nights', NIGHTS_FAMILIES, NIGHTS_EXPECTED],
  ['the recorded set', RECORDED_FAMILIES, RECORDED_EXPECTED],
] as const)('every scenario of %s has a label, and every label a scenario', (_, families, expected) => {
  expect(Object.keys(expected).toSorted()).toEqual(namesIn(families).toSorted());
});

it('no two scenarios share a name, so no label or outcome replaces another', () => {
  const names = [FAMILIES, ...PAWL_ONLY].flatMap(namesIn);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('a label can be reached within the iterations that the person allows', () => {
  const expected = {
    ...LATER_EXPECTED,
    ...UNSEEN_EXPECTED,
    ...FURTHER_EXPECTED,
    ...ADVERSARY_EXPECTED,
    ...NIGHTS_EXPECTED,
    ...RECORDED_EXPECTED,
  };
  const unreachable = PAWL_ONLY.flatMap((families) => Object.values(families).flat()).filter(
    ({ name, wants }) => (expected[name]?.calls[1] ?? 0) > wants.maxIterations,
  );
  expect(unreachable.map(({ name }) => name)).toEqual([]);
});

/** 59 were written before the first rules, 29 before those were repaired, 9 before goals without tests, then 12 and 4 before a second repair, 5 before a default was dropped, 16 before four more repairs, and 4 before another. */
const FIRST_OF_LATER = 59;
const BEFORE_GOALS = 88;
const BEFORE_WORDING = 97;
const BEFORE_HELPERS = 109;
const BEFORE_ERRORS = 113;
const BEFORE_NIGHTS = 118;
const BEFORE_BEHIND = 134;
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
  expect(digest(labels.slice(BEFORE_BEHIND))).toBe('513226ef1b519833');
});

it('the labels of the unseen set are those that were committed before its first play', () => {
  expect(digestOf(JSON.stringify(UNSEEN_EXPECTED))).toBe('c9bc728f7a5ecabc');
});

it('the labels of the further set are those that were committed before its first play', () => {
  expect(digestOf(JSON.stringify(FURTHER_EXPECTED))).toBe('ab12564e507e0fa7');
});

it('the labels of the adversary set are those that were committed before its first play', () => {
  expect(digestOf(JSON.stringify(ADVERSARY_EXPECTED))).toBe('173414056cab13cb');
});

it('the labels of the nights are those that were committed before their first play', () => {
  expect(digestOf(JSON.stringify(NIGHTS_EXPECTED))).toBe('94dd2aa52e52ed54');
});

it('the labels of the recorded set are those that were committed before its first play', () => {
  expect(digestOf(JSON.stringify(RECORDED_EXPECTED))).toBe('1c47d3cc06969d96');
});

it.each([
  ['later', LATER_FAMILIES],
  ['unseen', UNSEEN_FAMILIES],
  ['further', FURTHER_FAMILIES],
  ['adversary', ADVERSARY_FAMILIES],
  ['nights', NIGHTS_FAMILIES],
  ['recorded', RECORDED_FAMILIES],
] as const)('every scenario of the %s set has a first outcome and one of now', (name, families) => {
  const { before = [], outcomes } = readResults(name);
  expect(before.map(({ scenario }) => scenario)).toEqual(namesIn(families));
  expect(outcomes.map(({ scenario }) => scenario)).toEqual(namesIn(families));
});

const firstPlaces = (name: ResultsName) =>
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
  expect(digestOf(places.slice(BEFORE_BEHIND).join('\n'))).toBe('45e37e60d78521bf');
});

it.each([
  ['unseen', '5d0b8076a862d552'],
  ['further', '17811d019da5d422'],
  ['adversary', 'b08e0219ef231df5'],
  ['nights', 'd122c2853786a477'],
  ['recorded', '1dfe89fafe5b7339'],
] as const)('the outcomes of the first play of the %s set stay as they were recorded', (name, digest) => {
  expect(digestOf(firstPlaces(name).join('\n'))).toBe(digest);
});

it.each([
  ['later', renderLater],
  ['unseen', renderUnseen],
  ['further', renderFurther],
  ['adversary', renderAdversary],
  ['nights', renderNights],
  ['recorded', renderRecorded],
] as const)('the page of the %s set shows its results', (name, render) => {
  expect(readFileSync(`bench/stopping/results/${name}.md`, 'utf8')).toBe(render(readResults(name)));
});
