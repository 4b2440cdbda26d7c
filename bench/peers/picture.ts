import { asSvg, barAt, lineAt, markAt, textAt } from '../chart.js';
import { cellOf, nameIn, type Results } from './results.js';
import { isCannot } from './runner.js';

const WIDTH = 900;
const LABEL = 160;

interface Answer {
  readonly kind: 'good' | 'bad' | 'none';
  readonly words: string;
}

interface Hazard {
  readonly title: readonly [string, string];
  readonly answer: (results: Results, runner: string) => Answer;
}

const CANNOT: Answer = { kind: 'none', words: 'cannot' };
const UNKNOWN: Answer = { kind: 'none', words: 'not measured' };

type Measured = ReturnType<typeof cellOf>;

const judged = (isGood: boolean, words: string): Answer => ({ kind: isGood ? 'good' : 'bad', words });

function answered(cell: Measured, judge: (cell: string | number | boolean) => Answer): Answer {
  if (cell === undefined) return UNKNOWN;
  if (typeof cell !== 'object') return judge(cell);
  return isCannot(cell) && cell.isLate === true ? { kind: 'bad', words: cell.cannot } : CANNOT;
}

/** Nothing may be left, and the runner itself has to be gone as well. */
function leftAlive(event: 'timeout' | 'interrupt' | 'terminate'): Hazard['answer'] {
  const endColumn = event === 'interrupt' ? 'presses' : `${event}Seconds`;
  const presses = (ended: Measured) => (event === 'interrupt' && ended === 2 ? ', 2 presses' : '');
  return (results, runner) =>
    answered(cellOf(results, 'survival', runner, `${event}Left`), (left) => {
      const ended = cellOf(results, 'survival', runner, endColumn);
      const isStuck = typeof ended === 'string';
      const count = left === 'nothing' ? 0 : String(left).split(', ').length;
      const words = count === 0 ? 'nothing' : `${count} of 3`;
      return judged(count === 0 && !isStuck, `${words}${isStuck ? ', and stuck' : presses(ended)}`);
    });
}

function ofKill(column: string, judge: (cell: string | number | boolean) => Answer): Hazard['answer'] {
  return (results, runner) => answered(cellOf(results, 'kill', runner, column) ?? cannotKill(results, runner), judge);
}

/** Where the run for kill -9 did not come about, its first cell says why. */
function cannotKill(results: Results, runner: string): Measured {
  const cell = cellOf(results, 'kill', runner, 'outlives');
  return typeof cell === 'object' ? cell : undefined;
}

function capHolds(results: Results, runner: string): Answer {
  const columns = results.tables.find(({ id }) => id === 'max-iterations')?.columns ?? [];
  const caps = columns.filter(({ id }) => /^cap\d+$/.test(id));
  const last = caps.at(-1);
  if (last === undefined) return UNKNOWN;
  const isExact = caps.every(({ id }) => cellOf(results, 'max-iterations', runner, id) === Number(id.slice(3)));
  return answered(cellOf(results, 'max-iterations', runner, last.id), (found) =>
    judged(isExact, `${String(found)} of ${last.id.slice(3)}`),
  );
}

const HAZARDS: readonly Hazard[] = [
  { title: ['left alive after', 'a timeout'], answer: leftAlive('timeout') },
  { title: ['left alive after', 'Ctrl-C'], answer: leftAlive('interrupt') },
  { title: ['left alive after', 'SIGTERM'], answer: leftAlive('terminate') },
  { title: ['iterations run', 'under a cap'], answer: capHolds },
  {
    title: ['kill -9: finished', 'ones on record'],
    answer: ofKill('kept', (kept) => judged(/^(\d+) of \1$/.test(String(kept)), String(kept))),
  },
  {
    title: ['kill -9, resume:', 'two agents at once'],
    answer: ofKill('twoAtOnce', (two) => judged(two === false, two === true ? 'yes' : 'no')),
  },
  {
    title: ['kill -9, resume:', 'started, cap 5'],
    answer: ofKill('started', (started) => judged(started === 5 || started === 6, String(started))),
  },
];

const LEGEND =
  'Of the agent, its child and a grandchild in a session of its own: how many outlive the stop. Dash: it has no such thing.';

/** What each runner does under each hazard: a tick, a cross, or a dash where it has no such thing. */
export function hazardPicture(results: Results): string {
  const runners = results.tables.find(({ id }) => id === 'survival')?.rows.map(({ runner }) => runner) ?? [];
  const nameOf = nameIn(results);
  const step = (WIDTH - LABEL - 10) / HAZARDS.length;
  const middle = (column: number) => LABEL + step * (column + 0.5);
  const head = HAZARDS.flatMap(({ title: [first, second] }, column) => [
    textAt(middle(column), 80, first, 'quiet small', 'middle'),
    textAt(middle(column), 95, second, 'quiet small', 'middle'),
  ]);
  const body = runners.flatMap((runner, index) => {
    const y = 132 + index * 44;
    const cells = HAZARDS.flatMap(({ answer }, column) => {
      const { kind, words } = answer(results, runner);
      return [markAt(middle(column), y - 8, kind), textAt(middle(column), y + 12, words, 'quiet small', 'middle')];
    });
    const name = textAt(20, y, nameOf(runner), runner === 'pawl' ? 'strong' : '');
    return [lineAt(y - 25, 20, WIDTH - 20), name, ...cells];
  });
  return asSvg({
    title: 'What each runner leaves behind, keeps and repeats',
    about:
      'Loop runners against hazards: what is left alive after a timeout, Ctrl-C and SIGTERM, and what kill -9 does.',
    width: WIDTH,
    height: 114 + runners.length * 44,
    shapes: [textAt(20, 50, LEGEND, 'quiet'), ...head, ...body],
  });
}

/** Bars on a logarithmic scale, since the slowest takes hundreds of times as long as the floor. */
export function iterationPicture(results: Results): string {
  const rows = results.tables.find(({ id }) => id === 'iteration')?.rows ?? [];
  const shown = rows.flatMap(({ runner, cells, note }) => {
    const value = cells['periodMs'];
    return typeof value === 'number' ? [{ runner, value, isPaused: note !== undefined }] : [];
  });
  const most = Math.log10(Math.max(10, ...shown.map(({ value }) => value)));
  const scale = (value: number) => (Math.max(Math.log10(value), 0.02) / most) * (WIDTH - LABEL - 240);
  const shapes = shown.flatMap(({ runner, value, isPaused }, index) => {
    const y = 66 + index * 28;
    const figure = value < 1000 ? `${value.toFixed(1)} ms` : `${(value / 1000).toFixed(1)} s`;
    return [
      textAt(20, y + 13, nameIn(results)(runner), runner.startsWith('pawl') ? 'strong' : ''),
      barAt(LABEL, y, scale(value), runner.startsWith('pawl') ? 'own' : 'bar'),
      textAt(LABEL + scale(value) + 8, y + 13, isPaused ? `${figure}, a pause that cannot be set` : figure, 'quiet'),
    ];
  });
  return asSvg({
    title: 'From the start of one agent to the start of the next',
    about: shown.map(({ runner, value }) => `${nameIn(results)(runner)} ${value.toFixed(1)} ms`).join(', '),
    width: WIDTH,
    height: 78 + shown.length * 28,
    shapes: [
      textAt(20, 50, 'An agent that takes no time, pauses set to 0 where they can be; logarithmic.', 'quiet'),
      ...shapes,
    ],
  });
}
