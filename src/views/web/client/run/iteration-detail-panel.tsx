import { lazy, Suspense, useState } from 'react';
import { outcomeText } from '../../../../words/iteration-text.js';
import type { IterationRow } from '../../wire/run-view.js';
import { Panel } from '../parts/panel.js';
import { EventList } from './event-list.js';

interface IterationDetailPanelProps {
  readonly runId: string;
  readonly row: IterationRow;
  readonly onClose: () => void;
}

/** Loaded when a diff is first opened: what reads and colours patches is larger than the rest of the page needs. */
const DiffView = lazy(async () => ({ default: (await import('./diff-view.js')).DiffView }));

type Part = 'diff' | 'events';

/** What one iteration changed, and everything that is recorded of it. */
export function IterationDetailPanel({ runId, row, onClose }: IterationDetailPanelProps) {
  const [part, setPart] = useState<Part>('diff');
  const path = `/api/runs/${encodeURIComponent(runId)}/iterations/${row.iteration}`;
  const choose = (name: Part, label: string) => (
    <button type="button" className="tab" aria-pressed={part === name} onClick={() => setPart(name)}>
      {label}
    </button>
  );
  return (
    <Panel
      title={`Iteration ${row.iteration}: ${outcomeText(row)}`}
      aside={
        <>
          {choose('diff', 'Changes')}
          {choose('events', 'Record')}
          <button type="button" className="quiet" aria-label="Close the iteration" onClick={onClose}>
            ×
          </button>
        </>
      }
    >
      {part === 'diff' ? (
        <Suspense fallback={<p className="nothing">Looking at the files…</p>}>
          <DiffView path={`${path}/diff`} />
        </Suspense>
      ) : (
        <EventList path={path} />
      )}
    </Panel>
  );
}
