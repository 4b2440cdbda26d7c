import { memo, useLayoutEffect, useRef, useState } from 'react';
import type { RunEvent } from '../../../../model/run-event.js';
import { Panel } from '../parts/panel.js';
import type { ItemCell } from '../pipeline/item-cells.js';
import { SpokenLine } from './spoken-line.js';

interface OutputPanelProps {
  readonly spoken: readonly RunEvent[];
  readonly isLive: boolean;
  /** The items of a pipeline, whose attempts speak side by side. */
  readonly cells?: readonly ItemCell[] | undefined;
}

/** Within this of the end someone reads the end. */
const END_PIXELS = 40;

/** What the agent says and does. It follows the end until someone scrolls up to read. */
export const OutputPanel = memo(function OutputPanel({ spoken, isLive, cells }: OutputPanelProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const [seenSeq, setSeenSeq] = useState(0);
  const lastSeq = spoken.at(-1)?.seq ?? 0;
  const toEnd = () => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    setFollows(true);
  };
  useLayoutEffect(() => {
    if (!follows) return;
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    setSeenSeq(lastSeq);
  }, [follows, lastSeq]);
  const scroll = () => {
    const element = scroller.current;
    if (element === null) return;
    setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < END_PIXELS);
  };
  return (
    <Panel title="Output" className="output-panel">
      <div
        ref={scroller}
        className="output"
        role="log"
        aria-live="off"
        aria-label="What the agent says and does"
        tabIndex={0}
        onScroll={scroll}
      >
        {spoken.length === 0 ? (
          <p className="nothing">{isLive ? 'Nothing was said yet.' : 'Nothing was said.'}</p>
        ) : null}
        {spoken.map((event) => (
          <SpokenLine
            key={event.seq}
            event={event}
            teller={'index' in event && event.index !== undefined ? cells?.[event.index]?.item : undefined}
          />
        ))}
      </div>
      {!follows && lastSeq > seenSeq ? (
        <button type="button" className="new-below" onClick={toEnd}>
          new output below ↓
        </button>
      ) : null}
    </Panel>
  );
});
