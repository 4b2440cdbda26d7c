import { createStore, useStore } from './store.js';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

const SHOWN_MS = 4000;
const PROBLEM_SHOWN_MS = 10_000;
/** As long as it takes to read a few words, and to hear that they are there. */
const LEAST_MS = 1500;
const MOST = 3;

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Says something in passing, to eyes and ears. */
export function say(text: string, { isProblem = false }: { readonly isProblem?: boolean } = {}): void {
  lastId += 1;
  const toast = { id: lastId, text, isProblem };
  toasts.set([...toasts.get(), toast].slice(-MOST));
  setTimeout(() => dismiss(toast.id), isProblem ? PROBLEM_SHOWN_MS : SHOWN_MS);
}

/** What was said of something to come need not be said any more when it has come. */
export function letGo(): void {
  for (const { id, isProblem } of toasts.get()) if (!isProblem) setTimeout(() => dismiss(id), LEAST_MS);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts);
}
