import { memo } from 'react';
import type { RunEvent } from '../../../../model/run-event.js';
import { Panel } from '../parts/panel.js';
import { EventLine } from './event-line.js';

const MOST = 60;

/** What happened to the run next to its iterations, the newest first. */
export const MarksPanel = memo(function MarksPanel({ marks }: { readonly marks: readonly RunEvent[] }) {
  if (marks.length === 0) return null;
  return (
    <Panel title="What happened" className="marks">
      <div className="events short" tabIndex={0} role="group" aria-label="What happened">
        {marks
          .slice(-MOST)
          .toReversed()
          .map((event) => (
            <EventLine key={event.seq} event={event} />
          ))}
      </div>
    </Panel>
  );
});
