import type { HistoryShare } from '../../../../model/history.js';
import { plural, usd } from '../../../../model/figures.js';

const MOST_DAYS = 60;
const [HEIGHT, GAP] = [120, 2];

/** A column for each day on which runs began: what they cost, or how many they were where no cost is known. */
export function DayChart({ days }: { readonly days: readonly HistoryShare[] }) {
  const shown = days.slice(-MOST_DAYS);
  const isPriced = shown.some((day) => day.usd > 0);
  const sizeOf = (day: HistoryShare) => (isPriced ? day.usd : day.runs);
  const most = Math.max(...shown.map(sizeOf), Number.MIN_VALUE);
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return <p className="nothing">No dates are recorded.</p>;
  const width = Math.min(48, 720 / shown.length);
  const wordsOf = (day: HistoryShare) =>
    `${day.name}: ${isPriced ? `${usd(day.usd)}, ` : ''}${plural(day.runs, 'run')}, ${plural(day.goals, 'goal')}`;
  return (
    <figure className="day-chart">
      <svg
        viewBox={`0 0 ${shown.length * width} ${HEIGHT}`}
        preserveAspectRatio="xMinYMax meet"
        role="img"
        aria-label={shown.map(wordsOf).join('; ')}
      >
        {shown.map((day, index) => {
          const height = Math.max(1, (sizeOf(day) / most) * HEIGHT);
          return (
            <rect
              key={day.name}
              x={index * width + GAP / 2}
              y={HEIGHT - height}
              width={width - GAP}
              height={height}
              rx={2}
            >
              <title>{wordsOf(day)}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{first.name}</span>
        <span className="dim">
          {isPriced ? `most on a day: ${usd(most)}` : `most on a day: ${plural(most, 'run')}`}
        </span>
        {last === first ? null : <span>{last.name}</span>}
      </figcaption>
    </figure>
  );
}
