import { memo, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { plural } from '../../../../model/figures.js';
import { useIsDark } from '../live/theme.js';
import { useWidth } from '../live/use-width.js';
import { shownText } from '../text/shown-text.js';
import { CELL_WORDS } from './cell-words.js';
import { drawGrid } from './draw-grid.js';
import { cellAt, gridLayout } from './grid-layout.js';
import type { ItemCell } from './item-cells.js';

interface ItemGridProps {
  readonly cells: readonly ItemCell[];
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
}

/** A cell for each item, drawn: ten thousand elements would make the page slow. */
export const ItemGrid = memo(function ItemGrid({ cells, selected, onSelect }: ItemGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const isDark = useIsDark();
  const [pointed, setPointed] = useState<number>();
  const layout = useMemo(() => gridLayout(cells.length, Math.max(1, width)), [cells.length, width]);
  useEffect(() => {
    if (canvas.current !== null && width > 0) drawGrid(canvas.current, { cells, layout, width, selected });
    // The colours of the theme are read when it is drawn.
  }, [cells, layout, width, selected, isDark]);
  const at = ({ nativeEvent }: MouseEvent) => cellAt(layout, cells.length, nativeEvent.offsetX, nativeEvent.offsetY);
  const select = (event: MouseEvent) => {
    const index = at(event);
    if (index !== undefined) onSelect(index);
  };
  const cell = cells[pointed ?? selected ?? -1];
  return (
    <div className="item-grid">
      <div ref={box} className="item-grid-box">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${plural(cells.length, 'item')} by status`}
          onClick={select}
          onMouseMove={(event) => setPointed(at(event))}
          onMouseLeave={() => setPointed(undefined)}
        />
      </div>
      <p className="pointed dim">
        {cell === undefined
          ? 'Each cell is an item: point at one to see what it is, click to see its attempts.'
          : `${shownText(cell.item ?? `item ${cell.index + 1}`)}: ${CELL_WORDS[cell.status]}${
              cell.attempts === 0 ? '' : `, ${plural(cell.attempts, 'attempt')}`
            }${cell.why === '' ? '' : `, ${shownText(cell.why)}`}`}
      </p>
    </div>
  );
});
