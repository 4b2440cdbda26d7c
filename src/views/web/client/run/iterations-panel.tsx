import { openIteration } from '../../../../model/phase.js';
import { memo } from 'react';
import type { ReplayStop } from '../../wire/api.js';
import type { RunView } from '../../wire/run-view.js';
import { Panel } from '../parts/panel.js';
import { IterationStrip } from './iteration-strip.js';
import { IterationTable } from './iteration-table.js';

interface IterationsPanelProps {
  readonly view: RunView;
  /** Undefined when time does not continue. */
  readonly nowMs: number | undefined;
  readonly replayStop: ReplayStop | undefined;
  readonly selectedSeq: number | undefined;
  readonly onSelect: (seq: number) => void;
}

/** Every iteration: as a strip at one glance, and in a table. */
export const IterationsPanel = memo(function IterationsPanel(props: IterationsPanelProps) {
  const { view, nowMs, replayStop, selectedSeq, onSelect } = props;
  const { rows, state } = view;
  const open = nowMs === undefined ? undefined : openIteration(state);
  return (
    <Panel title="Iterations">
      {rows.length === 0 && open === undefined ? <p className="nothing">No iteration has ended.</p> : null}
      <IterationStrip
        rows={rows}
        isOpen={open !== undefined}
        replayStop={replayStop}
        selectedSeq={selectedSeq}
        onSelect={onSelect}
      />
      {rows.length === 0 && open === undefined ? null : (
        <IterationTable
          rows={rows}
          baseline={state.baseline?.tests?.passed}
          open={open}
          nowMs={nowMs}
          selectedSeq={selectedSeq}
          onSelect={onSelect}
        />
      )}
    </Panel>
  );
});
