import { asSvg, barAt, textAt } from '../chart.js';
import type { Outcome } from './judge.js';
import { compared, type Results } from './results-file.js';
import { FIRST } from './since-first-run.js';

const WIDTH = 900;
const LABEL = 190;
const ROW = 30;
const TOP = 66;
const LONGEST = 370;

const ofRunner = ({ outcomes }: Results, name: string) => outcomes.filter(({ runner }) => runner === name);
const rightOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ isRight }) => isRight).length;

/** The runs that are not right, by where they stopped. */
function misses(outcomes: readonly Outcome[]): string {
  const wrong = outcomes.filter(({ isRight }) => !isRight);
  const kinds = { early: 'too early', late: 'too late', never: 'never', right: 'wrong reason' } as const;
  const counted = Object.entries(kinds).flatMap(([place, words]) => {
    const count = wrong.filter((one) => one.place === place).length;
    return count === 0 ? [] : `${count} ${words}`;
  });
  return counted.join(', ');
}

/** Said wherever the newer figure is shown alone. */
export function unseen(results: Results): string | undefined {
  const right = rightOf(ofRunner(results, 'Pawl'));
  if (right === FIRST.unseen || right === 0) return undefined;
  return `Pawl was right in ${FIRST.unseen} before it was changed with these scenarios known.`;
}

/** How many of the scenarios each runner ended where and as a person wants it. */
export function picture(all: Results): string {
  const results = compared(all);
  const rows = results.runners.map(({ name, version }) => {
    const outcomes = ofRunner(results, name);
    return { name, version, all: outcomes.length, right: rightOf(outcomes), missed: misses(outcomes) };
  });
  const most = Math.max(1, ...rows.map(({ all }) => all));
  const scale = (count: number) => (count / most) * LONGEST;
  const shapes = rows.flatMap(({ name, version = '', all, right, missed }, index) => {
    const y = TOP + index * ROW;
    return [
      textAt(LABEL - 12, y + 13, `${name} ${version}`.trim(), '', 'end'),
      barAt(LABEL, y, scale(all), 'rest'),
      barAt(LABEL, y, scale(right), name === 'Pawl' ? 'own' : 'bar'),
      textAt(LABEL + scale(right) + 8, y + 13, String(right), 'strong'),
      textAt(LABEL + LONGEST + 14, y + 13, missed, 'quiet small'),
    ];
  });
  const before = unseen(results);
  const about = `Right stops of ${most} scripted scenarios: stopped where a person wants it, and said rightly what it was.`;
  return asSvg({
    title: `Where runs stop: right in how many of ${most} scripted scenarios`,
    about: `${about} ${rows.map(({ name, right }) => `${name} ${right}`).join(', ')}.`,
    width: WIDTH,
    height: TOP + rows.length * ROW + (before === undefined ? 14 : 34),
    shapes: [
      textAt(20, 50, 'Right: stopped where a person wants it, and said rightly what it was.', 'quiet'),
      ...shapes,
      ...(before === undefined ? [] : [textAt(20, TOP + rows.length * ROW + 14, before, 'quiet')]),
    ],
  });
}
