import type { Policy } from '../../../../model/policy.js';
import { count } from '../../../../model/figures.js';
import type { IterationRow } from '../../wire/run-view.js';
import { money, shortCount, shortUsd } from '../text/figures.js';
import { type Axis, limitIn, plain, positions, summed } from './chart-columns.js';
import type { ChartPlan } from './chart-plan.js';

interface Charted {
  readonly rows: readonly IterationRow[];
  readonly policy: Policy;
  /** The context above which a session is replaced, in percent. */
  readonly redline: number | undefined;
}

const percentText = (value: number) => `${Math.round(value)}%`;

/** The charts of a run: one for each figure that is known. */
export function chartPlans({ rows, policy, redline }: Charted, axis: Axis): readonly ChartPlan[] {
  const x = positions(rows, axis);
  const candidates = [
    {
      title: 'Cost so far',
      columns: summed(rows, x, 'costUsd'),
      lines: [['cost', 'accent']],
      text: money,
      axisText: shortUsd,
      limit: limitAt(limitIn(policy, 'costUsd'), money),
    },
    {
      title: 'Tokens so far',
      columns: summed(rows, x, 'totalTokens'),
      lines: [['tokens', 'cut-fill']],
      text: count,
      axisText: shortCount,
      limit: limitAt(limitIn(policy, 'totalTokens'), count),
    },
    {
      title: 'Context',
      columns: plain(rows, x, 'contextPercent'),
      lines: [['context', 'late-fill']],
      text: percentText,
      axisText: percentText,
      limit: redline === undefined || redline >= 100 ? undefined : { value: redline, text: `fresh above ${redline}%` },
    },
    {
      title: 'Tests',
      columns: plain(rows, x, 'testsPassed', 'testsFailed'),
      lines: [
        ['passed', 'good-fill'],
        ['failed', 'bad-fill'],
      ],
      text: count,
      axisText: shortCount,
      limit: undefined,
    },
  ] as const;
  return candidates.flatMap(({ columns, ...plan }) => (columns === undefined ? [] : [{ ...plan, columns }]));
}

function limitAt(value: number | undefined, text: (value: number) => string): ChartPlan['limit'] {
  return value === undefined ? undefined : { value, text: `limit ${text(value)}` };
}
