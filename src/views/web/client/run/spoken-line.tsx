import { memo } from 'react';
import type { RunEvent } from '../../../../model/run-event.js';
import { FoldedText } from '../parts/folded-text.js';
import { eventWords } from '../../../../words/event-words.js';
import { shownText } from '../text/shown-text.js';
import { timeText } from '../text/time-text.js';
import { toolInput } from '../text/tool-input.js';

/** What tools are given and answer is mostly long, and rarely read. */
const TOOL_LINES = 4;

interface SpokenLineProps {
  readonly event: RunEvent;
  /** The item whose attempt tells it. */
  readonly teller: string | undefined;
}

/** One thing that the agent said or did. */
export const SpokenLine = memo(function SpokenLine({ event, teller }: SpokenLineProps) {
  const { label, text, tone, isInput } = eventWords(event);
  if (tone === 'heading') {
    return (
      <h3 className="spoken-heading">
        {shownText(label)} <time dateTime={event.at}>{timeText(event.at)}</time>
      </h3>
    );
  }
  const isTool = event.type === 'tool-called' || event.type === 'tool-answered';
  // An answer that says nothing, and closing words that were just said, only take up room.
  if (event.type === 'agent-finished' && event.stoppedBy === undefined) return null;
  if (event.type === 'tool-answered' && (text ?? '') === '' && event.failed !== true) return null;
  // The denial itself says more.
  if (event.type === 'tool-answered' && event.denied === true) return null;
  const shown = isInput === true && text !== undefined ? toolInput(text) : text;
  return (
    <div className={`spoken ${event.type} tone-${tone}`}>
      {teller === undefined ? null : <span className="teller">{shownText(teller)}</span>}
      {event.type === 'agent-said' ? null : <b>{shownText(label)}</b>}
      {shown === undefined || shown === '' ? null : (
        <FoldedText text={shown} {...(isTool ? { lines: TOOL_LINES } : {})} />
      )}
    </div>
  );
});
