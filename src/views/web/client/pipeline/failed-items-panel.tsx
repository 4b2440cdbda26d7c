import { memo, useMemo, useState } from 'react';
import { count, plural } from '../../../../model/figures.js';
import { Panel } from '../parts/panel.js';
import { shownText } from '../text/shown-text.js';
import type { ItemCell } from './item-cells.js';

const STEP = 50;

interface FailedItemsPanelProps {
  readonly cells: readonly ItemCell[];
  readonly onSelect: (index: number) => void;
}

/** The items that are final and not approved, with why. */
export const FailedItemsPanel = memo(function FailedItemsPanel({ cells, onSelect }: FailedItemsPanelProps) {
  const [most, setMost] = useState(STEP);
  const failed = useMemo(() => cells.filter(({ status }) => status === 'rejected' || status === 'failed'), [cells]);
  if (failed.length === 0) return null;
  return (
    <Panel title="Not approved" aside={<span className="dim">{plural(failed.length, 'item')}</span>}>
      <ul className="item-list">
        {failed.slice(0, most).map(({ index, item, status, attempts, why }) => (
          <li key={index}>
            <button type="button" className="link" onClick={() => onSelect(index)}>
              {shownText(item ?? `item ${index + 1}`)}
            </button>
            <span className={`cell-word cell-${status}`}>{status}</span>
            <span className="dim">after {plural(attempts, 'attempt')}</span>
            <span className="why">{shownText(why)}</span>
          </li>
        ))}
      </ul>
      {failed.length > most ? (
        <button type="button" className="unfold" onClick={() => setMost(most + STEP * 4)}>
          show more ({count(failed.length - most)} hidden)
        </button>
      ) : null}
    </Panel>
  );
});
