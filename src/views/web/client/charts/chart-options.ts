import type uPlot from 'uplot';
import type { ChartPlan } from './chart-plan.js';
import type { Columns } from './downsample.js';

/** All that a chart is drawn from. */
export interface ChartDrawing {
  readonly plan: ChartPlan;
  readonly shown: Columns;
  readonly isTime: boolean;
  readonly markerX: number | undefined;
  readonly colours: Readonly<Record<string, string>>;
  readonly hover: (index: number | null | undefined) => void;
}

/** A limit that is further away than this would press the line to the ground. */
const FURTHEST_LIMIT = 4;
/** With more points than that dots only blur. */
const MOST_DOTS = 60;
const LEAST_AXIS = 40;
const DIGIT_PIXELS = 7;
const FONT = '11px system-ui, sans-serif';

export function chartOptions(drawing: ChartDrawing): Omit<uPlot.Options, 'width' | 'height'> {
  const { plan, shown, isTime, colours, hover } = drawing;
  const axis = { stroke: colours['dim'] ?? '', font: FONT, ticks: { show: false } };
  const hasDots = shown.x.length <= MOST_DOTS;
  return {
    legend: { show: false },
    padding: [8, isTime ? 30 : 20, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: isTime, range: (_chart, low, high) => rangeOfX(low, high, isTime) },
      y: { range: (_chart, _low, high) => [0, topOf(plan, high)] },
    },
    axes: [
      {
        ...axis,
        size: 22,
        space: isTime ? 70 : 45,
        grid: { show: false },
        ...(isTime ? {} : { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] }),
      },
      {
        ...axis,
        size: (_chart, labels) => axisWidth(labels),
        space: 28,
        grid: { stroke: colours['line'] ?? '', width: 1 },
        values: (_chart, splits) => splits.map(plan.axisText),
      },
    ],
    series: [
      {},
      ...plan.lines.map(([label, colour]) => ({
        label,
        stroke: colours[colour] ?? '',
        width: 1.5,
        spanGaps: true,
        points: { show: hasDots, size: 4, fill: colours[colour] ?? '' },
      })),
    ],
    hooks: {
      draw: [(chart) => drawLines(chart, drawing)],
      setCursor: [(chart) => hover(chart.cursor.idx)],
    },
  };
}

/** Room for the longest of its labels; there are none before the first draw. */
function axisWidth(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length));
  return Math.max(LEAST_AXIS, 14 + longest * DIGIT_PIXELS);
}

/** One iteration alone is in the middle. */
function rangeOfX(low: number, high: number, isTime: boolean): [number, number] {
  const least = isTime ? 60 : 2;
  return high - low >= least ? [low, high] : [low - least / 2, low + least / 2];
}

function topOf({ limit }: ChartPlan, high: number): number {
  const most = Math.max(high, 0) || 1;
  const isNear = limit !== undefined && limit.value <= most * FURTHEST_LIMIT;
  return (isNear ? Math.max(most, limit.value) : most) * 1.08;
}

/** The limit, and where a replayed policy stops. */
function drawLines(chart: uPlot, { plan, markerX, colours }: ChartDrawing): void {
  const { ctx, bbox } = chart;
  const scale = devicePixelRatio || 1;
  const line = (
    from: readonly [number, number],
    to: readonly [number, number],
    colour: string,
    dash: readonly number[],
  ) => {
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * scale;
    ctx.setLineDash(dash.map((length) => length * scale));
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
    ctx.restore();
  };
  const { limit } = plan;
  const top = chart.scales['y']?.max ?? 0;
  if (limit !== undefined && limit.value <= top) {
    const y = chart.valToPos(limit.value, 'y', true);
    line([bbox.left, y], [bbox.left + bbox.width, y], colours['warn'] ?? '', [4, 4]);
  }
  if (markerX !== undefined) {
    const x = chart.valToPos(markerX, 'x', true);
    line([x, bbox.top], [x, bbox.top + bbox.height], colours['text'] ?? '', []);
  }
}
