import { count, percent, usd } from '../../src/model/figures.js';
import { shareInterval } from '../../src/tune/intervals.js';
import type { Family } from '../../src/tune/validate.js';
import type { Study, StudiedPoint } from './study-set.js';

const NAMES: Readonly<Record<Family, string>> = {
  single: 'one condition',
  conjunction: 'one or two conditions',
  likely_to_fail: '`likely_to_fail`',
};

/** The aims: the share to be saved where at most 1 % of the goals are lost. */
const AIMS: Readonly<Record<string, number>> = { 'mini-swe-agent': 0.15, 'claude-code-2.0.29': 0.3 };
const MOST_LOST = 0.01;

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const range = ([from, to]: readonly [number, number]) => `${percent(from)} to ${percent(to)}`;
const spread = (values: readonly number[], shown: (value: number) => string) =>
  `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Counts and shares of whole sets, and nothing of a single run. */
export function report(studies: readonly Study[]): string {
  return `${[
    '# Results',
    '',
    'Written by `npm run bench -- real`; [README.md](README.md) says how. Every figure is of runs that the policy was not chosen by.',
    '',
    '## "Done" that was not',
    '',
    row([
      'runs of',
      'runs',
      'reached their goal',
      'left as done',
      'of these wrong',
      '95 % sure',
      'used by runs without a goal',
    ]),
    '|---|---:|---:|---:|---:|---|---:|',
    ...studies.map(({ name, runs, goals, done, falselyDone, wastedShare }) =>
      row([
        name,
        runs,
        goals,
        done,
        `${falselyDone} (${percent(falselyDone / Math.max(1, done))})`,
        range(shareInterval(falselyDone, done)),
        percent(wastedShare),
      ]),
    ),
    '',
    ...studies.flatMap(sectionOf),
  ].join('\n')}\n`;
}

function sectionOf(study: Study): readonly string[] {
  const { name, runs, goals, tasks, unit, used, points, ranking, features } = study;
  return [
    `## ${name}`,
    '',
    `${runs} runs of ${tasks} tasks, ${goals} reached their goal. They used ${unit === 'dollars' ? usd(used) : `${count(used)} model calls`}; saved is the share of it.`,
    '',
    ...aimLines(study),
    row([
      'policy',
      'may lose',
      'saved',
      '95 % sure',
      'goals lost',
      '95 % sure',
      'saved, five divisions',
      'lost, five divisions',
      'chosen by all runs',
    ]),
    '|---|---:|---:|---|---:|---|---|---|---|',
    ...grouped(points).map(pointRow),
    '',
    `A model that has not seen a run tells it from others with an area under the curve of ${ranking
      .map(({ part, area }) => `${area === undefined ? 'unknown' : area.toFixed(2)} at ${percent(part)}`)
      .join(', ')} of its length (0.5 is chance).`,
    `It reads ${features.length === 0 ? 'nothing' : features.map((feature) => `\`${feature}\``).join(', ')}.`,
    '',
  ];
}

/** Levels at which the same was chosen are one row. */
function grouped(points: readonly StudiedPoint[]): readonly (readonly StudiedPoint[])[] {
  const keyOf = ({ family, chosen, savedShares, goalsLost }: StudiedPoint) =>
    JSON.stringify([family, chosen, savedShares, goalsLost]);
  const groups = new Map<string, StudiedPoint[]>();
  for (const point of points) groups.set(keyOf(point), [...(groups.get(keyOf(point)) ?? []), point]);
  return [...groups.values()];
}

function pointRow(same: readonly StudiedPoint[]): string {
  const [point] = same;
  if (point === undefined) return '';
  const { family, chosen, validated, savedShares, goalsLost } = point;
  return row([
    NAMES[family],
    same.map(({ level }) => percent(level)).join(', '),
    percent(validated.savedShare),
    range(validated.savedInterval),
    `${validated.goalsLost} of ${validated.goals}`,
    range(validated.lostInterval),
    spread(savedShares, percent),
    spread(goalsLost, String),
    `\`${chosen}\``,
  ]);
}

/** Held to the mean over all divisions: the luckiest of many rows is no result. */
function aimLines({ name, points, goals }: Study): readonly string[] {
  const aim = AIMS[name];
  if (aim === undefined) return ['No aim: too few of these runs reached their goal.', ''];
  const kept = points.filter(({ goalsLost }) => mean(goalsLost) <= goals * MOST_LOST);
  const [best] = kept.toSorted((a, b) => mean(b.savedShares) - mean(a.savedShares));
  const found =
    best === undefined
      ? `no row loses at most ${percent(MOST_LOST)} of the goals on average over the divisions`
      : `${percent(mean(best.savedShares))} by ${NAMES[best.family]} (may lose ${percent(best.level)}), with ${mean(best.goalsLost).toFixed(1)} of ${goals} goals lost, both on average over the divisions`;
  const verdict = best !== undefined && mean(best.savedShares) >= aim ? 'holds' : 'does not hold';
  return [
    `The aim, ${percent(aim)} saved with at most ${percent(MOST_LOST)} of the goals lost, **${verdict}**: ${found}.`,
    '',
  ];
}
