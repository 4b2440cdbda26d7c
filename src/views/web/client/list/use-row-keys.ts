import type { Virtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';
import { useKeys } from '../live/use-keys.js';

export type Rows = Pick<Virtualizer<HTMLDivElement, Element>, 'scrollToIndex'>;

/** The keys move the focus from row to row, also to those that are not in the page yet. Enter is the link's own. */
export function useRowKeys(
  rowCount: number,
  rows: Rows,
  scroller: RefObject<HTMLDivElement | null>,
  filterBox?: RefObject<HTMLInputElement | null>,
): void {
  const focus = (index: number) => {
    const target = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`);
    target?.focus({ preventScroll: true });
    return target !== undefined && target !== null;
  };
  const move = (by: number) => (event: KeyboardEvent) => {
    event.preventDefault();
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]')?.dataset['index'];
    const index = focused === undefined ? 0 : Math.min(rowCount - 1, Math.max(0, Number(focused) + by));
    rows.scrollToIndex(index);
    if (!focus(index)) requestAnimationFrame(() => requestAnimationFrame(() => focus(index)));
  };
  useKeys({
    j: move(1),
    ArrowDown: move(1),
    k: move(-1),
    ArrowUp: move(-1),
    '/': (event) => {
      if (filterBox?.current === undefined || filterBox.current === null) return;
      event.preventDefault();
      filterBox.current.focus();
      filterBox.current.select();
    },
  });
}
