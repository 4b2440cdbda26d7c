import { plural } from '../../../../model/figures.js';
import type { RunEvent } from '../../../../model/run-event.js';
import { useRequest } from '../live/use-request.js';
import { shownText } from '../text/shown-text.js';
import { EventLine } from './event-line.js';

interface RecordedPart {
  readonly events: readonly RunEvent[];
  readonly omitted: number;
}

/** A part of the record, event by event. */
export function EventList({ path }: { readonly path: string }) {
  const { data, problem } = useRequest<RecordedPart>(path);
  if (problem !== undefined) return <p className="problem-line">{shownText(problem.message)}</p>;
  if (data === undefined) return <p className="nothing">Reading the record…</p>;
  return (
    <div className="events" tabIndex={0} role="group" aria-label="Events">
      {data.omitted === 0 ? null : (
        <p className="nothing">{plural(data.omitted, 'event')} before these are left out.</p>
      )}
      {data.events.length === 0 ? <p className="nothing">Nothing is recorded of it yet.</p> : null}
      {data.events.map((event) => (
        <EventLine key={event.seq} event={event} />
      ))}
    </div>
  );
}
