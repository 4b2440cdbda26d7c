import { useEffect, useRef } from 'react';

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Keys that do something wherever the focus is, but not while somebody types or a dialog asks. */
export function useKeys(keys: KeyMap): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (document.querySelector('dialog[open]') !== null || (isTyping && event.key !== 'Escape')) return;
      latest.current[event.key]?.(event);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
