import { useEffect, useRef } from 'react';

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Keys that do something wherever the focus is, but not while a dialog asks or someone types, which Escape ends. */
export function useKeys(keys: KeyMap, { isFirst = false }: { readonly isFirst?: boolean } = {}): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (document.querySelector('dialog[open]') !== null || (isTyping && event.key !== 'Escape')) return;
      if (isTyping) {
        event.target.blur();
        event.preventDefault();
      } else latest.current[event.key]?.(event);
    };
    document.addEventListener('keydown', press, { capture: isFirst });
    return () => document.removeEventListener('keydown', press, { capture: isFirst });
  }, [isFirst]);
}

/** Closes what is open before Escape leaves the page. */
export function useEscape(isOpen: boolean, close: () => void): void {
  const escape = (event: KeyboardEvent) => {
    if (!isOpen) return;
    event.preventDefault();
    close();
  };
  useKeys({ Escape: escape }, { isFirst: true });
}
