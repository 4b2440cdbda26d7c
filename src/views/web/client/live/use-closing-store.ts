import { useEffect, useState } from 'react';
import { createStore, type Store, useStore } from './store.js';

interface ClosingStore<T> extends Pick<Store<T>, 'get' | 'subscribe'> {
  readonly close: () => void;
}

/** What a store says that is open as long as the component is there and its key stays the same. */
export function useClosingStore<T>(open: (key: string) => ClosingStore<T>, key: string, before: T): T {
  const [store, setStore] = useState<Pick<Store<T>, 'get' | 'subscribe'>>(() => createStore(before));
  useEffect(() => {
    const opened = open(key);
    setStore(opened);
    return () => opened.close();
    // The way to open it does not change.
  }, [open, key]);
  return useStore(store);
}
