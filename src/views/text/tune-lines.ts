import type { Interval } from '../../tune/intervals.js';
import { triedText, type Tuning } from '../../tune/tune-runs.js';
import type { Family, FrontierPoint } from '../../tune/validate.js';
import { count, list, percent, plural, usd } from '../../model/figures.js';
import { type Terminal, wrap } from './terminal.js';
import { oneLine } from '../../words/printable.js';
import { textTable } from './text-table.js';

export interface ShownTuning {
  readonly unlabelled: number;
  readonly lose: number;
  /** The block to paste. */
  readonly stop?: string | undefined;
  /** Where the model was written. */
  readonly modelFile?: string | undefined;
}

const MARKS: Readonly<Record<Family, string>> = { single: 's', conjunction: 'c', likely_to_fail: 'm' };
const NAMES: Readonly<Record<Family, string>> = {
  single: 'one condition',
  conjunction: 'two together',
  likely_to_fail: 'likely_to_fail',
};
const ROWS = 10;
const MOST_COLUMNS = 60;

/** The frontier, as figures and as a picture, and what to paste. */
export function tuneLines(tuning: Tuning, shown: ShownTuning, terminal: Terminal): readonly string[] {
  const { tooLittle } = tuning;
  const head = terminal.style(
    'bold',
    `${plural(tuning.runs, 'labelled run')} of ${plural(tuning.tasks, 'task')}, ${plural(tuning.goals, 'goal')}`,
  );
  const notes = aboutLines(tuning, shown).flatMap((line) => wrap(line, terminal.columns));
  if (tooLittle !== undefined) {
    const advice = 'Nothing is recommended. Label more runs: pawl import DIR --labels labels.csv';
    return [
      head,
      ...notes,
      '',
      ...wrap(`${tooLittle.charAt(0).toUpperCase()}${tooLittle.slice(1)}.`, terminal.columns),
      advice,
    ];
  }
  return [
    head,
    ...notes,
    '',
    ...tableLines(tuning, terminal),
    '',
    ...chartLines(tuning, terminal),
    '',
    ...adviceLines(tuning, shown, terminal),
  ];
}

function aboutLines(tuning: Tuning, { unlabelled }: ShownTuning): readonly string[] {
  const { used, usedWithoutGoal, unpriced, leavesOutIterations } = tuning;
  const share = used === 0 ? 0 : usedWithoutGoal / used;
  return [
    `They used ${amount(tuning, used)}, ${percent(share)} of it in runs that reached no goal.`,
    ...(unlabelled > 0 ? [`${plural(unlabelled, 'run')} without a label left out.`] : []),
    ...(unpriced > 0 ? [`${plural(unpriced, 'run')} of unknown cost left out.`] : []),
    ...(leavesOutIterations
      ? ['In imported runs an iteration is a model call, so conditions that count iterations were not tried.']
      : []),
  ];
}

function amount({ unit }: Tuning, value: number): string {
  return unit === 'dollars' ? usd(value) : plural(value, 'model call');
}

const shares = ([from, to]: Interval) => `${percent(from)} to ${percent(to)}`;

function tableLines(tuning: Tuning, terminal: Terminal): readonly string[] {
  const columns = [
    { title: ' ' },
    { title: 'saved', isNumber: true },
    { title: '95% sure' },
    { title: 'goals lost', isNumber: true },
    { title: '95% sure' },
    { title: 'policy' },
  ];
  const rows = distinct(tuning.frontier).map((point) => {
    const { validated } = point;
    return [
      `${point === tuning.recommended ? '*' : ' '}${MARKS[point.family]}`,
      percent(validated.savedShare),
      shares(validated.savedInterval),
      `${validated.goalsLost} of ${count(validated.goals)}`,
      shares(validated.lostInterval),
      point.tried === undefined ? 'none within the limit' : triedText(point.tried),
    ];
  });
  return textTable(columns, rows, terminal);
}

/** Levels at which the same was chosen everywhere are one point. */
function distinct(points: readonly FrontierPoint[]): readonly FrontierPoint[] {
  const key = ({ family, tried, validated }: FrontierPoint) =>
    `${family} ${tried === undefined ? '' : triedText(tried)} ${validated.saved} ${validated.goalsLost}`;
  return [...new Map(points.toReversed().map((point) => [key(point), point])).values()].toReversed();
}

/** Saving upwards, goals lost to the right. */
function chartLines({ frontier }: Tuning, terminal: Terminal): readonly string[] {
  const columns = Math.max(20, Math.min(MOST_COLUMNS, terminal.columns - 10));
  const lost = ({ validated: { goalsLost, goals } }: FrontierPoint) => (goals === 0 ? 0 : goalsLost / goals);
  const right = Math.max(0.01, ...frontier.map(lost));
  const top = Math.max(0.01, ...frontier.map(({ validated }) => validated.savedShare));
  const grid = Array.from({ length: ROWS }, () => Array.from({ length: columns }, () => ' '));
  for (const point of frontier) {
    const row = ROWS - 1 - Math.round((point.validated.savedShare / top) * (ROWS - 1));
    const column = Math.round((lost(point) / right) * (columns - 1));
    const line = grid[row];
    if (line !== undefined) line[column] = MARKS[point.family];
  }
  const label = (row: number) => (row === 0 ? percent(top) : row === ROWS - 1 ? '0%' : '').padStart(6);
  const scale = `${'0%'.padEnd(columns - percent(right).length)}${percent(right)}`;
  return [
    'saved',
    ...grid.map((line, row) => `${label(row)} │${line.join('').trimEnd()}`),
    `       └${'─'.repeat(columns)}`,
    `        ${scale}  goals lost`,
    terminal.style(
      'dim',
      `        ${Object.entries(MARKS)
        .map(([family, mark]) => `${mark}: ${NAMES[family as Family]}`)
        .join('   ')}`,
    ),
  ];
}

function adviceLines(tuning: Tuning, { lose, stop, modelFile }: ShownTuning, terminal: Terminal): readonly string[] {
  const { recommended } = tuning;
  const method =
    'Every figure is of runs that the policy was not chosen by: runs of one task are never on both sides. The policy in a row is chosen by all runs.';
  if (recommended === undefined || stop === undefined) {
    const text = `No policy reliably saves something and loses at most ${percent(lose)} of the goals: nothing is recommended. Allow more with --lose 5%, or label more runs.`;
    return [...wrap(method, terminal.columns), '', ...wrap(text, terminal.columns)];
  }
  const { saved, goalsLost, goals, stoppedTooEarly, savedOfFailures } = recommended.validated;
  const gain = `It would have saved ${amount(tuning, saved)}, ${percent(saved === 0 ? 0 : savedOfFailures / saved)} of it in runs that reached no goal, and lost ${count(goalsLost)} of ${plural(goals, 'goal')}.`;
  const early = stoppedTooEarly.length === 0 ? [] : [`Stopped too early: ${oneLine(list(stoppedTooEarly, 10), 400)}.`];
  const needsModel = recommended.family === 'likely_to_fail' && modelFile === undefined;
  return [
    ...wrap(method, terminal.columns),
    '',
    terminal.style('bold', 'recommended'),
    ...[gain, ...early].flatMap((line) => wrap(line, terminal.columns)),
    '',
    ...stop.trimEnd().split('\n'),
    ...(needsModel ? ['', 'write its model: pawl tune --out likely-to-fail.json'] : []),
  ];
}
