import { memo } from 'react';
import type { RunEvent } from '../../../../model/run-event.js';
import { FoldedText } from '../parts/folded-text.js';
import { eventWords } from '../../../../words/event-words.js';
import { shownText } from '../text/shown-text.js';
import { timeText } from '../text/time-text.js';
import { toolInput } from '../text/tool-input.js';

const LINES = 6;

/** One event: when, what, and what it says. */
export const EventLine = memo(function EventLine({ event }: { readonly event: RunEvent }) {
  const { label, text, tone, isInput } = eventWords(event);
  const shown = isInput === true && text !== undefined ? toolInput(text) : text;
  return (
    <div className={`event-line tone-${tone}`}>
      <time dateTime={event.at}>{timeText(event.at)}</time>
      <span className="event-label">{shownText(label)}</span>
      <div className="event-text">
        {shown === undefined || shown === '' ? null : <FoldedText text={shown} lines={LINES} />}
      </div>
    </div>
  );
});
