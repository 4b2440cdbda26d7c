import { percent } from '../../../model/figures.js';
import { triedText, type Tuning } from '../../../tune/tune-runs.js';
import type { Family, FrontierPoint } from '../../../tune/validate.js';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 420, 64, 24, 40, 56];

const STYLE = `
    text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: #1f2328 }
    .ground { fill: #ffffff }
    .axis { stroke: #818b98 }
    .grid { stroke: #d1d9e0 }
    .single { stroke: #0969da; fill: #0969da }
    .conjunction { stroke: #bc4c00; fill: #bc4c00 }
    .likely_to_fail { stroke: #1a7f37; fill: #1a7f37 }
    .reach { stroke-opacity: 0.35 }
    .line { fill: none; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .ground { fill: #0d1117 }
      .grid { stroke: #3d444d }
      .single { stroke: #4493f8; fill: #4493f8 }
      .conjunction { stroke: #db6d28; fill: #db6d28 }
      .likely_to_fail { stroke: #3fb950; fill: #3fb950 }
    }`;

const NAMES: Readonly<Record<Family, string>> = {
  single: 'one condition',
  conjunction: 'two together',
  likely_to_fail: 'likely_to_fail',
};

/** The frontier as a picture: saving upwards, goals lost to the right, each with its interval. */
export function frontierSvg({ frontier, unit, runs, goals }: Tuning): string {
  const lostOf = ({ validated }: FrontierPoint) => validated.goalsLost / Math.max(1, validated.goals);
  const right = niceTop(Math.max(0.02, ...frontier.map(lostOf)));
  const top = niceTop(Math.max(0.02, ...frontier.map(({ validated }) => validated.savedInterval[1])));
  const x = (share: number) => LEFT + (Math.min(share, right) / right) * (WIDTH - LEFT - RIGHT);
  const y = (share: number) => HEIGHT - BOTTOM - (Math.min(share, top) / top) * (HEIGHT - TOP - BOTTOM);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const grid = ticks.flatMap((tick) => [
    `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick * top)}" y2="${y(tick * top)}"/>`,
    text(LEFT - 8, y(tick * top) + 4, percent(tick * top), 'end'),
    text(x(tick * right), HEIGHT - BOTTOM + 20, percent(tick * right), 'middle'),
  ]);
  const families = [...new Set(frontier.map(({ family }) => family))];
  const marks = families.flatMap((family, index) => {
    const points = frontier.filter((point) => point.family === family);
    const path = points.map((point) => `${x(lostOf(point)).toFixed(1)},${y(point.validated.savedShare).toFixed(1)}`);
    return [
      `<polyline class="line ${family}" style="fill:none" points="${path.join(' ')}"/>`,
      ...points.map((point) => pointSvg(point, x(lostOf(point)), y)),
      `<circle class="${family}" cx="${LEFT + 12 + index * 150}" cy="${TOP - 20}" r="5"/>`,
      text(LEFT + 24 + index * 150, TOP - 16, NAMES[family], 'start'),
    ];
  });
  const saved = unit === 'dollars' ? 'dollars saved' : 'model calls saved';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${saved} against goals lost">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    ...grid,
    `<line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`,
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>`,
    ...marks,
    text(WIDTH - RIGHT, HEIGHT - 12, `goals lost, of ${goals} in ${runs} runs`, 'end'),
    text(WIDTH - RIGHT, TOP - 16, saved, 'end'),
    '</svg>',
    '',
  ].join('\n');
}

function pointSvg({ family, tried, validated }: FrontierPoint, x: number, y: (share: number) => number): string {
  const [from, to] = validated.savedInterval;
  const name = tried === undefined ? 'none' : escaped(triedText(tried));
  return [
    `<line class="reach ${family}" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${y(from).toFixed(1)}" y2="${y(to).toFixed(1)}"/>`,
    `<circle class="${family}" cx="${x.toFixed(1)}" cy="${y(validated.savedShare).toFixed(1)}" r="5"><title>${name}</title></circle>`,
  ].join('\n');
}

function niceTop(share: number): number {
  return [0.02, 0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 0.8].find((top) => share <= top) ?? 1;
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
