import { type RefObject, useEffect, useRef } from 'react';
import type { RunRow } from '../../wire/api.js';
import { runLeft } from '../live/route.js';
import type { Rows } from './use-row-keys.js';

/** Anyone who comes back from a run finds the focus where it was. */
export function useReturnFocus(runs: readonly RunRow[], rows: Rows, scroller: RefObject<HTMLElement | null>): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const index = runs.findIndex(({ runId }) => runId === runLeft());
    if (index === -1 || document.activeElement !== document.body) return;
    rows.scrollToIndex(index, { align: 'auto' });
    const focus = () => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
      row?.focus({ preventScroll: true });
    };
    // What is far down is in the page only when it has been scrolled to.
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }, [runs, rows, scroller]);
}
