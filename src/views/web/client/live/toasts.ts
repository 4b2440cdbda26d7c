import { createStore, useStore } from './store.js';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

const SHOWN_MS = 6000;
const MOST = 3;

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Says something in passing, to eyes and ears. */
export function say(text: string, { isProblem = false }: { readonly isProblem?: boolean } = {}): void {
  lastId += 1;
  const toast = { id: lastId, text, isProblem };
  toasts.set([...toasts.get(), toast].slice(-MOST));
  setTimeout(() => dismiss(toast.id), isProblem ? SHOWN_MS * 2 : SHOWN_MS);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts);
}
