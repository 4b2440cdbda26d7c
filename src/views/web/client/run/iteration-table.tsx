import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef } from 'react';
import type { Iterating } from '../../../../model/phase.js';
import { elapsedText } from '../../../../words/where-text.js';
import type { IterationRow as Row } from '../../wire/run-view.js';
import { useRowKeys } from '../list/use-row-keys.js';
import { IterationRow } from './iteration-row.js';
import { passedBefore } from './passed-before.js';

const ROW_PIXELS = 30;
const COLUMNS = ['#', 'Outcome', 'Took', 'Tests', 'Files', 'Cost', 'Context'] as const;

interface IterationTableProps {
  readonly rows: readonly Row[];
  /** Tests that passed before the first. */
  readonly baseline: number | undefined;
  readonly open: Iterating | undefined;
  readonly nowMs: number | undefined;
  readonly selectedSeq: number | undefined;
  readonly onSelect: (seq: number) => void;
}

/** The newest first; only those are in the page that can be seen. */
export const IterationTable = memo(function IterationTable(props: IterationTableProps) {
  const { rows, baseline, open, nowMs, selectedSeq, onSelect } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const before = useMemo(() => passedBefore(rows, baseline), [rows, baseline]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 10,
    useFlushSync: false,
  });
  useRowKeys(rows.length, virtual, scroller);
  const scrolls = virtual.getTotalSize() > (virtual.scrollRect?.height ?? Number.POSITIVE_INFINITY);
  return (
    <div className="iteration-table" role="table" aria-label="Iterations" aria-rowcount={rows.length + 1}>
      <div role="rowgroup" className={scrolls ? 'above-scrollbar' : undefined}>
        <div role="row" className="iteration-columns iteration-head">
          {COLUMNS.map((name) => (
            <div key={name} role="columnheader">
              {name}
            </div>
          ))}
        </div>
        {open === undefined || nowMs === undefined ? null : (
          <div role="row" className="iteration-columns iteration-open">
            <div role="cell">{open.iteration}</div>
            <div role="cell">under way</div>
            <div role="cell">{elapsedText(nowMs - Date.parse(open.startedAt))}</div>
          </div>
        )}
      </div>
      <div ref={scroller} role="rowgroup" className="iteration-scroller">
        <div role="presentation" className="run-space" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const place = rows.length - 1 - index;
            const row = rows[place];
            return row === undefined ? null : (
              <IterationRow
                key={row.seq}
                row={row}
                passedBefore={before[place]}
                index={index}
                start={start}
                isSelected={row.seq === selectedSeq}
                onSelect={onSelect}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
});
