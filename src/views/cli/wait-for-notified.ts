import type { RunHandle } from '../../run/run-handle.js';
import type { Terminal } from './terminal.js';

const SILENT_MS = 1500;

/** Stays until the last notifications are out, a few seconds at most; a signal ends them. */
export async function waitForNotified(handle: Pick<RunHandle, 'notified'>, terminal: Terminal): Promise<void> {
  const leave = new AbortController();
  const onSignal = () => leave.abort();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  const timer = setTimeout(() => terminal.note('the last notification takes a while; Ctrl-C ends it'), SILENT_MS);
  try {
    await handle.notified(leave.signal);
  } finally {
    clearTimeout(timer);
    for (const name of names) process.off(name, onSignal);
  }
}
