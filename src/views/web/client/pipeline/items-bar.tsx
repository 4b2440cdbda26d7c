import type { CellStatus } from './item-cells.js';

interface ItemsBarProps {
  readonly counts: readonly (readonly [CellStatus, number])[];
  readonly items: number;
}

const SHOWN: ReadonlySet<CellStatus> = new Set(['approved', 'rejected', 'failed', 'in-flight']);

/** All items in one bar, each status in its colour. */
export function ItemsBar({ counts, items }: ItemsBarProps) {
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
