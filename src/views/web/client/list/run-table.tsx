import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';
import type { RunRow as Run } from '../../wire/api.js';
import { useMedia } from '../live/use-media.js';
import { RunRow } from './run-row.js';
import { useReturnFocus } from './use-return-focus.js';
import { useRowKeys } from './use-row-keys.js';

const ROW_PIXELS = 44;
const TALL_PIXELS = 66;
const CARD_PIXELS = 132;
const COLUMNS = ['Status', 'Task', 'Agent', 'Done', 'Cost', 'Active', 'Started', 'Why'] as const;

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly nowMs: number;
  readonly filterBox: RefObject<HTMLInputElement | null>;
}

/** However many runs there are, only those are in the page that can be seen. On a narrow screen each is a card. */
export function RunTable({ runs, nowMs, filterBox }: RunTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia('(max-width: 759px)');
  const isTall = useMedia('(max-width: 1099px)');
  const rowPixels = isNarrow ? CARD_PIXELS : isTall ? TALL_PIXELS : ROW_PIXELS;
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPixels,
    getItemKey: (index) => runs[index]?.runId ?? index,
    overscan: 8,
    useFlushSync: false,
  });
  // What was measured for one width does not hold for another.
  useEffect(() => rows.measure(), [rows, rowPixels]);
  useRowKeys(runs.length, rows, scroller, filterBox);
  useReturnFocus(runs, rows, scroller);
  const scrolls = rows.getTotalSize() > (rows.scrollRect?.height ?? Number.POSITIVE_INFINITY);
  return (
    <div
      className={scrolls ? 'run-table scrolls' : 'run-table'}
      role="table"
      aria-label="Runs"
      aria-rowcount={runs.length + 1}
    >
      <div role="rowgroup" className={scrolls ? 'run-head above-scrollbar' : 'run-head'}>
        <div role="row" aria-rowindex={1} className="run-columns">
          {COLUMNS.map((name) => (
            <div key={name} role="columnheader" className={`cell-${name.toLowerCase()}`}>
              {name}
            </div>
          ))}
        </div>
      </div>
      <div ref={scroller} className="run-scroller" role="rowgroup">
        <div className="run-space" role="presentation" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start, size }) => {
            const run = runs[index];
            return run === undefined ? null : (
              <RunRow key={key} run={run} index={index} start={start} size={size} nowMs={nowMs} />
            );
          })}
        </div>
      </div>
    </div>
  );
}
