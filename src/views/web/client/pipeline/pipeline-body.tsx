import { useMemo, useState } from 'react';
import type { ViewedRun } from '../../wire/api.js';
import { useEscape } from '../live/use-keys.js';
import { ConditionsPanel } from '../run/conditions-panel.js';
import { MarksPanel } from '../run/marks-panel.js';
import { OutputPanel } from '../run/output-panel.js';
import { ReplayPanel } from '../run/replay-panel.js';
import { FailedItemsPanel } from './failed-items-panel.js';
import { InFlightPanel } from './in-flight-panel.js';
import { itemCells } from './item-cells.js';
import { ItemDetailPanel } from './item-detail-panel.js';
import { ItemsPanel } from './items-panel.js';

interface PipelineBodyProps {
  readonly viewed: ViewedRun;
  readonly nowMs: number;
}

const nothing = () => undefined;

/** Many items: how far they are, what is in flight, what failed and why. */
export function PipelineBody({ viewed, nowMs }: PipelineBodyProps) {
  const [selected, setSelected] = useState<number>();
  useEscape(selected !== undefined, () => setSelected(undefined));
  const { view, runId, isLive } = viewed;
  const { state, items } = view;
  const cells = useMemo(() => itemCells(state.pipeline, items), [state.pipeline, items]);
  const now = isLive ? nowMs : undefined;
  return (
    <div className="columns">
      <div className="column wide">
        <ItemsPanel state={state} cells={cells} selected={selected} onSelect={setSelected} />
        {selected === undefined ? null : (
          <ItemDetailPanel
            key={`${selected} ${cells[selected]?.status}`}
            runId={runId}
            index={selected}
            cell={cells[selected]}
            onClose={() => setSelected(undefined)}
          />
        )}
        <InFlightPanel state={state} items={items} nowMs={now} onSelect={setSelected} />
        <FailedItemsPanel cells={cells} onSelect={setSelected} />
        {view.spoken.length === 0 ? null : <OutputPanel spoken={view.spoken} isLive={isLive} cells={cells} />}
      </div>
      <div className="column">
        <ConditionsPanel state={state} nowMs={now} />
        <MarksPanel marks={view.marks} />
        <ReplayPanel runId={runId} policyText={viewed.policyText} isPipeline onAnswer={nothing} />
      </div>
    </div>
  );
}
