import { memo } from 'react';
import { endOf } from '../../../../model/phase.js';
import type { RunState } from '../../../../model/run-state.js';
import { count } from '../../../../model/figures.js';
import { itemForecast, itemsOf } from '../../../../words/item-figures.js';
import { elapsedText } from '../../../../words/where-text.js';
import { Panel } from '../parts/panel.js';
import { isHeld } from '../run/is-held.js';
import { CELL_WORDS } from './cell-words.js';
import { FindItem } from './find-item.js';
import { CELL_STATUSES, type ItemCell, type CellStatus } from './item-cells.js';
import { ItemGrid } from './item-grid.js';

interface ItemsPanelProps {
  readonly state: RunState;
  readonly cells: readonly ItemCell[];
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
}

/** Every item as a cell in the colour of its status. */
export const ItemsPanel = memo(function ItemsPanel({ state, cells, selected, onSelect }: ItemsPanelProps) {
  const { items, done, left } = itemsOf(state.pipeline);
  const expected = left === 0 || endOf(state) !== undefined || isHeld(state) ? undefined : itemForecast(state);
  const pace = expected === undefined ? '' : `, about ${elapsedText(expected.leftMs)} left at ${expected.rate}`;
  const counts = CELL_STATUSES.map(
    (status) => [status, cells.filter((cell) => cell.status === status).length] as const,
  );
  return (
    <Panel title="Items" aside={<FindItem cells={cells} onFind={onSelect} />}>
      <p className="sentence">
        {count(done)} of {count(items)} final
        <span className="dim">{pace}</span>
      </p>
      <ItemsBar counts={counts} items={items} />
      <ul className="legend">
        {counts
          .filter(([, number]) => number > 0)
          .map(([status, number]) => (
            <li key={status} className={`cell-${status}`}>
              {CELL_WORDS[status]} <small>{count(number)}</small>
            </li>
          ))}
      </ul>
      <ItemGrid cells={cells} selected={selected} onSelect={onSelect} />
    </Panel>
  );
});

interface ItemsBarProps {
  readonly counts: readonly (readonly [CellStatus, number])[];
  readonly items: number;
}

const SHOWN: ReadonlySet<CellStatus> = new Set(['approved', 'rejected', 'failed', 'in-flight']);

/** All items in one bar, each status in its colour. */
function ItemsBar({ counts, items }: ItemsBarProps) {
  return (
    <div className="items-bar" aria-hidden="true">
      {counts
        .filter(([status]) => SHOWN.has(status))
        .map(([status, number]) => (
          <span
            key={status}
            className={`cell-${status}`}
            style={{ width: `${(100 * number) / Math.max(1, items)}%` }}
          />
        ))}
    </div>
  );
}
