import { createStore, useStore } from './store.js';

const RUN_PATH = /^\/runs\/([^/]+)\/?$/;

const path = createStore(location.pathname);
addEventListener('popstate', () => path.set(location.pathname));

/** The run that the address names; undefined for the list. */
export function useRunInAddress(): string | undefined {
  const [, runId] = RUN_PATH.exec(useStore(path)) ?? [];
  return runId === undefined ? undefined : decodeURIComponent(runId);
}

export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

export function goTo(target: string): void {
  if (target === location.pathname) return;
  history.pushState(null, '', target);
  path.set(location.pathname);
  scrollTo(0, 0);
}

/** The token has done its work with the first answer, and is not left where others can read it. */
export function hideToken(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('token')) return;
  url.searchParams.delete('token');
  history.replaceState(null, '', `${url.pathname}${url.search}${url.hash}`);
}
