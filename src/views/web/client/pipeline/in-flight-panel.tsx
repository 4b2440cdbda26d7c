import { memo } from 'react';
import type { RunState } from '../../../../model/run-state.js';
import type { ShownItems } from '../../../../model/shown-items.js';
import { count } from '../../../../model/figures.js';
import { waitingItems, waitsText } from '../../../../words/waiting-items.js';
import { elapsedText } from '../../../../words/where-text.js';
import { Panel } from '../parts/panel.js';
import { shownText } from '../text/shown-text.js';

const MOST = 32;

interface InFlightPanelProps {
  readonly state: RunState;
  readonly items: ShownItems;
  /** Undefined when time does not continue, and nothing is in flight. */
  readonly nowMs: number | undefined;
  readonly onSelect: (index: number) => void;
}

/** The attempts under way, those that began first on top, and below them what waits. */
export const InFlightPanel = memo(function InFlightPanel({ state, items, nowMs, onSelect }: InFlightPanelProps) {
  if (nowMs === undefined) return null;
  const waits = waitingItems(state, items, nowMs);
  const all = [
    ...items.open.map(({ item, index, attempt, startedAt }) => {
      return { item, index, text: `attempt ${count(attempt)}`, since: elapsedText(nowMs - Date.parse(startedAt)) };
    }),
    ...waits.map((each) => ({ item: each.item, index: each.index, text: waitsText(each), since: '' })),
  ];
  return (
    <Panel title="In progress">
      {all.length === 0 ? <p className="nothing">Nothing is in progress.</p> : null}
      <ul className="item-list">
        {all.slice(0, MOST).map(({ item, index, text, since }) => (
          <li key={index}>
            <button type="button" className="link" onClick={() => onSelect(index)}>
              {shownText(item)}
            </button>
            <span className="dim">{text}</span>
            <span className="number">{since}</span>
          </li>
        ))}
      </ul>
      {all.length > MOST ? <p className="nothing">and {count(all.length - MOST)} more</p> : null}
    </Panel>
  );
});
