import { createStore, useStore } from './store.js';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'pawl-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const dark = matchMedia('(prefers-color-scheme: dark)');

const theme = createStore<Theme>(stored());
const isDark = createStore(shownDark());
dark.addEventListener('change', applyTheme);

export function useTheme(): Theme {
  return useStore(theme);
}

/** For what is drawn and does not take its colours from the style sheet. */
export function useIsDark(): boolean {
  return useStore(isDark);
}

export function changeTheme(): void {
  theme.set(NEXT[theme.get()]);
  try {
    localStorage.setItem(KEY, theme.get());
  } catch {
    // A browser that keeps nothing shows it until the page is left.
  }
  applyTheme();
}

export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.get() === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme.get();
  isDark.set(shownDark());
}

function shownDark(): boolean {
  return theme.get() === 'system' ? dark.matches : theme.get() === 'dark';
}

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === 'light' || text === 'dark' ? text : 'system';
  } catch {
    return 'system';
  }
}
