import { Panel } from '../parts/panel.js';
import { EventList } from '../run/event-list.js';
import { shownText } from '../text/shown-text.js';
import { CELL_WORDS } from './cell-words.js';
import type { ItemCell } from './item-cells.js';

interface ItemDetailPanelProps {
  readonly runId: string;
  readonly index: number;
  readonly cell: ItemCell | undefined;
  readonly onClose: () => void;
}

/** Every attempt at one item, as it is recorded. */
export function ItemDetailPanel({ runId, index, cell, onClose }: ItemDetailPanelProps) {
  const name = shownText(cell?.item ?? `item ${index + 1}`);
  return (
    <Panel
      title={cell === undefined ? name : `${name}: ${CELL_WORDS[cell.status]}`}
      aside={
        <button type="button" className="quiet" aria-label="Close the item" onClick={onClose}>
          ×
        </button>
      }
    >
      {cell?.item === undefined ? (
        <p className="nothing">It has not started.</p>
      ) : (
        <EventList path={`/api/runs/${encodeURIComponent(runId)}/items/${index}`} />
      )}
    </Panel>
  );
}
