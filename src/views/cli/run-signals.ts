import type { LoopCommand } from '../../model/loop-command.js';
import type { RunHandle } from '../../run/run-handle.js';
import type { Terminal } from './terminal.js';

type Stop = Extract<LoopCommand, { type: 'stop' }>;

/**
 * Ctrl-C asks the run to stop after the iteration, a second one and SIGTERM at once; SIGHUP ends the view only. Returns
 * a function that takes the handlers away.
 */
export function obeySignals(handle: RunHandle, terminal: Terminal, onHangUp: () => void): () => void {
  let wanted: { readonly command: Stop; readonly by: string } | undefined;
  const ask = (now: boolean, by: string, note: string) => {
    if (wanted?.command.now === true) return;
    wanted = { command: now ? { type: 'stop', now } : { type: 'stop' }, by };
    terminal.note(note);
    deliver();
  };
  const deliver = () => {
    // Refused only where the run is not live yet, and then asked again below, or has ended by itself.
    if (wanted !== undefined) handle.send(wanted.command, wanted.by).catch(() => undefined);
  };
  const unsubscribe = handle.subscribe(({ type }) => {
    // Not from within the recording of this event.
    if (type === 'run-started' || type === 'run-resumed') setImmediate(deliver);
  });
  const handlers: Readonly<Partial<Record<NodeJS.Signals, () => void>>> = {
    SIGINT: () =>
      wanted === undefined
        ? ask(false, 'Ctrl-C', 'stopping after this iteration; Ctrl-C again stops now')
        : ask(true, 'Ctrl-C', 'stopping now'),
    SIGTERM: () => ask(true, 'SIGTERM', 'stopping now'),
    SIGHUP: onHangUp,
  };
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  return () => {
    unsubscribe();
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
  };
}
