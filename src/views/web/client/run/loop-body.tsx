import { useState } from 'react';
import type { ReplayAnswer, ViewedRun } from '../../wire/api.js';
import { ChartsPanel } from '../charts/charts-panel.js';
import { useEscape } from '../live/use-keys.js';
import { ConditionsPanel } from './conditions-panel.js';
import { IterationDetailPanel } from './iteration-detail-panel.js';
import { IterationsPanel } from './iterations-panel.js';
import { MarksPanel } from './marks-panel.js';
import { OutputPanel } from './output-panel.js';
import { ReplayPanel } from './replay-panel.js';

interface LoopBodyProps {
  readonly viewed: ViewedRun;
  readonly nowMs: number;
}

/** What a loop, or an agent in a program, says, does and comes to. */
export function LoopBody({ viewed, nowMs }: LoopBodyProps) {
  const [selectedSeq, setSelectedSeq] = useState<number>();
  const [replay, setReplay] = useState<ReplayAnswer>();
  useEscape(selectedSeq !== undefined, () => setSelectedSeq(undefined));
  const { view, runId, isLive } = viewed;
  const selected = view.rows.find(({ seq }) => seq === selectedSeq);
  return (
    <div className="columns">
      <div className="column wide">
        <OutputPanel spoken={view.spoken} isLive={isLive} />
        <IterationsPanel
          view={view}
          nowMs={isLive ? nowMs : undefined}
          replayStop={replay?.stop}
          selectedSeq={selectedSeq}
          onSelect={setSelectedSeq}
        />
        {selected === undefined ? null : (
          <IterationDetailPanel
            key={selected.seq}
            runId={runId}
            row={selected}
            onClose={() => setSelectedSeq(undefined)}
          />
        )}
        <ChartsPanel view={view} replayStop={replay?.stop} />
      </div>
      <div className="column">
        <ConditionsPanel state={view.state} nowMs={isLive ? nowMs : undefined} />
        <MarksPanel marks={view.marks} />
        <ReplayPanel runId={runId} policyText={viewed.policyText} isPipeline={false} onAnswer={setReplay} />
      </div>
    </div>
  );
}
