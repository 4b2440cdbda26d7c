import { useMemo } from 'react';
import { useStore } from './store.js';

/** Whether a media query holds now. */
export function useMedia(query: string): boolean {
  const store = useMemo(() => {
    const list = matchMedia(query);
    return {
      get: () => list.matches,
      subscribe: (listener: () => void) => {
        list.addEventListener('change', listener);
        return () => list.removeEventListener('change', listener);
      },
    };
  }, [query]);
  return useStore(store);
}
