import type { LoopCommand } from '../../model/loop-command.js';
import type { RunEvent } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { isBeforeAgent } from '../../run/before-agent.js';
import type { RunHandle } from '../../run/run-handle.js';
import type { Terminal } from './terminal.js';

type Stop = Extract<LoopCommand, { type: 'stop' }>;
type SignalName = 'Ctrl-C' | 'SIGTERM';

/** What of a run signals have to do with. */
export type SignalledRun = Pick<RunHandle, 'send' | 'subscribe' | 'runState'>;

/**
 * Ctrl-C asks the run to stop after the iteration, a second one and SIGTERM at once; SIGHUP ends the view only. Returns
 * a function that takes the handlers away.
 */
export function obeySignals(handle: SignalledRun, terminal: Terminal, onHangUp: () => void): () => void {
  let wanted: { readonly command: Stop; readonly by: SignalName } | undefined;
  const ask = (now: boolean, by: SignalName, note: string) => {
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
        ? ask(false, 'Ctrl-C', `stopping ${whenText(handle.runState)}; Ctrl-C again stops now`)
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

/** The record of a stop by a signal of this process: whoever sent it has been answered already. */
export function isAnswered(event: RunEvent): boolean {
  if (event.type !== 'command-received' || event.refused !== undefined) return false;
  return event.command.type === 'stop' && (event.by === 'Ctrl-C' || event.by === 'SIGTERM');
}

/** In the baseline and between two iterations there is none to wait for, and a hook before it is not waited for. */
function whenText(state: RunState): string {
  if (isBeforeAgent(state)) return 'before the agent is started';
  if (state.open !== undefined) return 'after this iteration';
  return `before the ${state.iterations === 0 ? 'first' : 'next'} iteration`;
}
