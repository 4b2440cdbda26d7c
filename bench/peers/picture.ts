import { cellOf, nameIn, type Results } from './results.js';

const WIDTH = 860;
const LABEL = 170;
const ROW = 26;
const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 15px }
    .quiet { fill: #656d76 }
    .bar { fill: #8c959f }
    .own { fill: #1a7f5a }
    .good { fill: #1a7f37; font-weight: 600 }
    .bad { fill: #cf222e; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .quiet { fill: #8d96a0 }
      .bar { fill: #6e7681 }
      .own { fill: #3fb984 }
      .good { fill: #3fb950 }
      .bad { fill: #f85149 }
    }`;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x: number, y: number, words: string, kind = '', anchor = 'start') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${kind}" text-anchor="${anchor}">${escaped(words)}</text>`;

/** Bars on a logarithmic scale, since the slowest takes hundreds of times as long as the floor. */
function bars(results: Results, top: number): { readonly shapes: readonly string[]; readonly height: number } {
  const rows = results.tables.find(({ id }) => id === 'iteration')?.rows ?? [];
  const shown = rows.flatMap(({ runner, cells }) => {
    const value = typeof cells['periodMs'] === 'number' ? cells['periodMs'] : cells['defaultMs'];
    return typeof value === 'number' ? [{ runner, value, isPaused: value !== cells['periodMs'] }] : [];
  });
  const most = Math.log10(Math.max(10, ...shown.map(({ value }) => value)));
  const scale = (value: number) => (Math.max(Math.log10(value), 0.02) / most) * (WIDTH - LABEL - 190);
  const shapes = shown.flatMap(({ runner, value, isPaused }, index) => {
    const y = top + 40 + index * ROW;
    const kind = runner.startsWith('pawl') ? 'own' : 'bar';
    const figure = value < 1000 ? `${value.toFixed(1)} ms` : `${(value / 1000).toFixed(1)} s`;
    return [
      text(LABEL - 10, y + 13, nameIn(results)(runner), '', 'end'),
      `<rect x="${LABEL}" y="${y}" width="${scale(value).toFixed(1)}" height="18" rx="3" class="${kind}"/>`,
      text(LABEL + scale(value) + 8, y + 13, isPaused ? `${figure}, a fixed pause` : figure, 'quiet'),
    ];
  });
  const title = text(20, top + 22, 'From one agent to the next (logarithmic)', 'title');
  return { shapes: [title, ...shapes], height: 56 + shown.length * ROW };
}

interface Question {
  readonly title: string;
  readonly answer: (results: Results, runner: string) => boolean | undefined;
}

function isClean(results: Results, runner: string, event: string): boolean | undefined {
  const left = cellOf(results, 'survival', runner, `${event}Left`);
  const ended = cellOf(results, 'survival', runner, event === 'interrupt' ? 'presses' : `${event}Seconds`);
  return typeof left === 'string' ? left === 'nothing' && typeof ended === 'number' : undefined;
}

const QUESTIONS: readonly Question[] = [
  { title: 'timeout', answer: (results, runner) => isClean(results, runner, 'timeout') },
  { title: 'Ctrl-C', answer: (results, runner) => isClean(results, runner, 'interrupt') },
  { title: 'SIGTERM', answer: (results, runner) => isClean(results, runner, 'terminate') },
  {
    title: 'kill -9: one agent',
    answer: (results, runner) => {
      const two = cellOf(results, 'kill', runner, 'twoAtOnce');
      return typeof two === 'boolean' ? !two : undefined;
    },
  },
  {
    title: 'kill -9: cap holds',
    answer: (results, runner) => {
      const started = cellOf(results, 'kill', runner, 'started');
      return typeof started === 'number' ? started === 5 || started === 6 : undefined;
    },
  },
];

/** A tick where nothing is left behind, a cross where something is, a dash where the runner has no such thing. */
function matrix(results: Results, top: number): { readonly shapes: readonly string[]; readonly height: number } {
  const runners = results.tables.find(({ id }) => id === 'survival')?.rows.map(({ runner }) => runner) ?? [];
  const step = (WIDTH - LABEL - 20) / QUESTIONS.length;
  const middle = (column: number) => LABEL + step * (column + 0.5);
  const head = QUESTIONS.map(({ title }, column) => text(middle(column), top + 48, title, 'quiet', 'middle'));
  const body = runners.flatMap((runner, index) => {
    const y = top + 74 + index * ROW;
    const marks = QUESTIONS.map(({ answer }, column) => {
      const found = answer(results, runner);
      if (found === undefined) return text(middle(column), y, '–', 'quiet', 'middle');
      return text(middle(column), y, found ? '✓' : '✗', found ? 'good' : 'bad', 'middle');
    });
    return [text(LABEL - 10, y, nameIn(results)(runner), '', 'end'), ...marks];
  });
  const title = text(20, top + 22, 'Nothing left behind, and the limits hold', 'title');
  return { shapes: [title, ...head, ...body], height: 80 + runners.length * ROW };
}

/** The two main results: what an iteration costs, and what survives. Readable on light and on dark. */
export function picture(results: Results): string {
  const upper = bars(results, 0);
  const lower = matrix(results, upper.height + 10);
  const height = upper.height + lower.height + 20;
  const shapes = [...upper.shapes, ...lower.shapes].map((shape) => `  ${shape}`);
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`;
  const about = '  <title>Pawl beside other loop runners: time per iteration, and what survives</title>';
  return `${[open, about, `  <style>${STYLE}\n  </style>`, ...shapes, '</svg>'].join('\n')}\n`;
}
