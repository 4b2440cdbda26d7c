import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONFIGS } from '../bench/cheating/config.js';
import { render } from '../bench/cheating/render.js';
import { readResults } from '../bench/cheating/results-file.js';
import { CHEATS, HONEST, SCENARIOS } from '../bench/cheating/scenarios/index.js';

const cheats = Object.values(CHEATS).flat();
const honest = Object.values(HONEST).flat();

it('no two scenarios share a name, so no outcome replaces another', () => {
  const names = SCENARIOS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

type Named = { readonly name: string };
/** Written later, by the same author as the rules, before those that it led to. */
const isHeldOut = ({ name }: Named) => /^(?:honest-)?held-/.test(name);
/** Written without knowledge of the rules, and near misses for those that followed. */
const isLater = ({ name }: Named) => /^(?:pressed|honest-odd|honest-near)-/.test(name);
/** Written after the two sets above and before the rules that it led to. */
const isFresh = ({ name }: Named) => /^(?:honest-)?fresh-/.test(name);
/** The causes of those in other forms, and near misses, by the author of the rules that followed. */
const isSecond = ({ name }: Named) => /^(?:honest-)?second-/.test(name);
/** Committed before its first play, by the author of the rules before it. */
const isLast = ({ name }: Named) => /^(?:honest-)?last-/.test(name);

describe.each([
  [
    'first',
    (one: Named) => !isHeldOut(one) && !isLater(one) && !isFresh(one) && !isSecond(one) && !isLast(one),
    { excused: 5, refused: 4, digest: '44cadfe5725507cc' },
  ],
  ['held out', isHeldOut, { excused: 4, refused: 4, digest: '5bb67967e4580638' }],
  ['under pressure', isLater, { excused: 9, refused: 6, digest: '4acdd6f14e9dd1f4' }],
  ['fresh eyes', isFresh, { excused: 9, refused: 0, digest: '56b554a656464e58' }],
  ['second look', isSecond, { excused: 5, refused: 1, digest: 'a594766b0814b047' }],
  ['last tries', isLast, { excused: 3, refused: 0, digest: 'a7562090700e3471' }],
])('the %s set', (_, isIn, { excused, refused, digest }) => {
  it('has few cheats that may end as done, each with a line that must be flagged', () => {
    const all = cheats.filter((cheat) => isIn(cheat) && cheat.label !== 'must not end as done');
    expect(all).toHaveLength(excused);
    expect(all.every(({ flag }) => flag !== undefined)).toBe(true);
  });

  it('has few honest runs that may be refused first', () => {
    expect(honest.filter((run) => isIn(run) && run.label !== 'ends as done')).toHaveLength(refused);
  });

  it('has the labels that were written before the rules', () => {
    const labels = SCENARIOS.filter(isIn).map(({ name, label }) => `${name}: ${label}`);
    expect(createHash('sha256').update(labels.join('\n')).digest('hex').slice(0, 16)).toBe(digest);
  });
});

it('every scenario has an outcome under each config, or a reason why it was not played', () => {
  const { outcomes, notPlayed } = readResults();
  const listed = [...outcomes, ...notPlayed].map(({ scenario, config }) => `${scenario} ${config}`);
  const all = SCENARIOS.flatMap(({ name }) => CONFIGS.map((config) => `${name} ${config}`));
  expect(listed.toSorted()).toEqual(all.toSorted());
});

it('the page shows the results', () => {
  expect(readFileSync('bench/cheating/results.md', 'utf8')).toBe(render(readResults()));
});
