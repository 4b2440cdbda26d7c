import { memo, useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { useIsDark } from '../live/theme.js';
import { useWidth } from '../live/use-width.js';
import { type ChartDrawing, chartOptions } from './chart-options.js';
import type { ChartPlan } from './chart-plan.js';
import { type Columns, downsample } from './downsample.js';
import { themeColours } from './theme-colours.js';

interface ChartProps {
  readonly plan: ChartPlan;
  readonly isTime: boolean;
  /** Where a replayed policy stops. */
  readonly markerX: number | undefined;
}

const HEIGHT = 132;

/** One chart, with its newest figures in words; under the pointer those of that place. */
export const Chart = memo(function Chart({ plan, isTime, markerX }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const caption = useRef<HTMLSpanElement>(null);
  const width = useWidth(box);
  const isDark = useIsDark();
  const { title, columns, lines, text, limit } = plan;
  const newest = useMemo(() => wordsAt(plan, columns, columns.x.length - 1), [plan, columns]);
  useEffect(() => {
    const element = box.current;
    if (element === null || width === 0) return undefined;
    const shown = downsample(columns, width);
    const colours = themeColours(element, [
      ...lines.map(([, colour]) => colour),
      'dim',
      'line',
      'warn',
      'text',
      'panel',
    ]);
    const hover = (index: number | null | undefined) => {
      if (caption.current === null) return;
      caption.current.textContent =
        index === null || index === undefined ? newest : wordsAt(plan, shown, index, isTime);
    };
    const drawing: ChartDrawing = { plan, shown, isTime, markerX, colours, hover };
    const chart = new uPlot(
      { ...chartOptions(drawing), width, height: HEIGHT },
      [shown.x, ...shown.series] as uPlot.AlignedData,
      element,
    );
    return () => chart.destroy();
  }, [plan, columns, lines, text, width, isTime, markerX, isDark, newest]);
  return (
    <figure className="chart">
      <figcaption>
        <span>{title}</span>
        <span ref={caption} className="number">
          {newest}
        </span>
        {limit === undefined ? null : <span className="limit-text">{limit.text}</span>}
      </figcaption>
      <div
        ref={box}
        className="chart-box"
        role="img"
        aria-label={`${title}: ${newest}${limit === undefined ? '' : `, ${limit.text}`}`}
      />
    </figure>
  );
});

/** `5 passed, 3 failed`. */
function wordsAt({ lines, text }: ChartPlan, { x, series }: Columns, index: number, isTime = true): string {
  const values = series.map((column) => column[index] ?? null);
  const parts = lines.flatMap(([name], line) => {
    const value = values[line] ?? null;
    return value === null ? [] : lines.length === 1 ? text(value) : `${text(value)} ${name}`;
  });
  const place = isTime ? '' : ` at ${x[index] ?? ''}`;
  return parts.length === 0 ? 'not known' : `${parts.join(', ')}${place}`;
}
