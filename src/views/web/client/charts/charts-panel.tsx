import { memo, useMemo, useState } from 'react';
import type { ReplayStop } from '../../wire/api.js';
import type { RunView } from '../../wire/run-view.js';
import { Panel } from '../parts/panel.js';
import { Chart } from './chart.js';
import { type Axis, positions } from './chart-columns.js';
import { chartPlans } from './chart-plans.js';

interface ChartsPanelProps {
  readonly view: RunView;
  readonly replayStop: ReplayStop | undefined;
}

/** Spend, tokens, context and tests, over iterations or over time. */
export const ChartsPanel = memo(function ChartsPanel({ view, replayStop }: ChartsPanelProps) {
  const [axis, setAxis] = useState<Axis>('iteration');
  const { rows, state } = view;
  const { policy, spec } = state;
  const redline = spec?.contextRedlinePercent;
  const plans = useMemo(() => chartPlans({ rows, policy, redline }, axis), [rows, policy, redline, axis]);
  const last = replayStop?.iteration ?? -1;
  const stopRow = rows.findLastIndex(({ iteration }) => iteration <= last);
  const markerX = positions(stopRow === -1 ? [] : rows.slice(stopRow, stopRow + 1), axis)[0];
  if (plans.length === 0) return null;
  const choose = (name: Axis, label: string) => (
    <button type="button" className="tab" aria-pressed={axis === name} onClick={() => setAxis(name)}>
      {label}
    </button>
  );
  const tabs = (
    <>
      {choose('iteration', 'Iterations')}
      {choose('time', 'Time')}
    </>
  );
  return (
    <Panel title="Over the run" aside={tabs}>
      <div className="charts">
        {plans.map((plan) => (
          <Chart key={plan.title} plan={plan} isTime={axis === 'time'} markerX={markerX} />
        ))}
      </div>
    </Panel>
  );
});
