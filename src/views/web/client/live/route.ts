import { createStore, useStore } from './store.js';

const RUN_PATH = /^\/runs\/([^/]+)\/?$/;

export const HISTORY_PATH = '/history';

const path = createStore(location.pathname);
let lastRun: string | undefined;
addEventListener('popstate', follow);

/** The run that the address names; undefined for the list. */
export function useRunInAddress(): string | undefined {
  return runIn(useStore(path));
}

export function useIsHistory(): boolean {
  return useStore(path) === HISTORY_PATH;
}

/** The run that was inspected last. */
export function runLeft(): string | undefined {
  return lastRun;
}

export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

export function goTo(target: string): void {
  if (target === location.pathname) return;
  history.pushState(null, '', target);
  follow();
  scrollTo(0, 0);
}

function follow(): void {
  lastRun = runIn(path.get()) ?? lastRun;
  path.set(location.pathname);
}

function runIn(pathname: string): string | undefined {
  const [, runId] = RUN_PATH.exec(pathname) ?? [];
  return runId === undefined ? undefined : decodeURIComponent(runId);
}

/** The token has done its work with the first answer, and is not left where others can read it. */
export function hideToken(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('token')) return;
  url.searchParams.delete('token');
  history.replaceState(null, '', `${url.pathname}${url.search}${url.hash}`);
}
