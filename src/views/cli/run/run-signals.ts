import { isBeforeAgent, isEnding, loopStateOf, openIteration } from '../../../model/phase.js';
import type { RunHandle } from '../../../run/run-handle.js';
import type { Terminal } from '../../text/terminal.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import type { RunState } from '../../../model/run-state.js';

type Stop = Extract<LoopCommand, { type: 'stop' }>;
type SignalName = 'Ctrl-C' | 'SIGTERM';

/** The part of a run that signals use. */
type SignalledRun = Pick<RunHandle, 'send' | 'subscribe' | 'runState'>;

/**
 * Ctrl-C asks the run to stop after the iteration, a second one and SIGTERM at once; SIGHUP ends the view only. Returns
 * a function that takes the handlers away.
 */
export function obeySignals(handle: SignalledRun, terminal: Terminal, onHangUp: () => void): () => void {
  let wanted: { readonly command: Stop; readonly by: SignalName } | undefined;
  const ask = (now: boolean, by: SignalName, note: string) => {
    // A second request while the last hook runs ends the hook.
    if (wanted?.command.now === true && !isEnding(handle.runState)) return;
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
  const askNow = (by: SignalName) => ask(true, by, nowText(handle.runState));
  const handlers: Readonly<Partial<Record<NodeJS.Signals, () => void>>> = {
    SIGINT: () =>
      wanted === undefined ? ask(false, 'Ctrl-C', `stopping${laterText(handle.runState)}`) : askNow('Ctrl-C'),
    SIGTERM: () => askNow('SIGTERM'),
    SIGHUP: onHangUp,
  };
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  return () => {
    unsubscribe();
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
  };
}

function nowText(state: RunState): string {
  const { hook } = state;
  return isEnding(state) && hook !== undefined ? `ending the hook ${hook}` : 'stopping now';
}

/** What the run still waits for, and how to end that, too. */
function laterText(state: RunState): string {
  const { hook } = state;
  if (isEnding(state) && state.pipeline === undefined)
    return hook === undefined ? '' : `: the hook ${hook} is running; Ctrl-C again ends it`;
  return `${whenText(state)}; Ctrl-C again stops now`;
}

/** In the baseline and between two iterations there is none to wait for, and a hook before it is not waited for. */
function whenText(state: RunState): string {
  const { recent } = state;
  const status = loopStateOf(state);
  const open = openIteration(state);
  if (status === 'paused' || status === 'waiting') return '';
  if (state.pipeline !== undefined) return ' after the attempts in progress';
  if (isBeforeAgent(state)) return ' before the agent is started';
  if (open !== undefined) return ' after this iteration';
  return ` before the ${recent.length === 0 ? 'first' : 'next'} iteration`;
}
