import { dirname } from 'node:path';
import { findRunPlaces, journalPathOf } from '../../journal/run-places.js';
import { formatByteSize } from '../../model/byte-size.js';
import type { StopCondition } from '../../model/condition.js';
import type { ExitCode } from '../../model/exit-code.js';
import { storeAdvice, storeBytes } from '../../observation/files/snapshot-store.js';
import type { RunHandle } from '../../run/run-handle.js';
import { findLiveTerminal } from '../live/live-terminal.js';
import { shownPath } from '../terminal/shown-path.js';
import { createRunView } from './run-view.js';
import { shellWord } from '../terminal/printable.js';
import { unblockTerminal, type Terminal } from './terminal.js';
import type { CommandContext } from './command-context.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { isBeforeAgent, isEnding, loopStateOf, openIteration, hasEnded } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { nextCommands, nextSteps } from '../terminal/next-steps.js';

export interface DriveOptions {
  readonly workingDir: string;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  /** As it was given, to be repeated in what is suggested. */
  readonly cwd?: string | undefined;
  readonly raise?: readonly StopCondition[] | undefined;
  readonly steer?: string | undefined;
  readonly newestRules?: boolean | undefined;
  readonly acceptTests?: boolean | undefined;
}

/** Runs to the end with a view and the signals of a terminal. Rejects when the run cannot be started. */
export async function driveRun(handle: RunHandle, options: DriveOptions, context: CommandContext): Promise<ExitCode> {
  context.tuneEngine();
  const { environment, terminal } = context;
  const { workingDir, json = false, quiet = false, cwd, raise = [], steer, newestRules, acceptTests } = options;
  const folder = dirname(journalPathOf(findRunPlaces(workingDir, handle.id, environment)));
  const live = findLiveTerminal(context);
  const view = createRunView(
    {
      json,
      quiet,
      folder: shownPath(folder, context.cwd),
      place: placeFlag(cwd),
      live: live && { ...live, send: (command) => handle.send(command, 'the keyboard') },
    },
    context,
  );
  unblockTerminal(context.stdout, context.stderr);
  const unsubscribe = handle.subscribe(view.onEvent);
  const ignoreSignals = obeySignals(handle, terminal, view.close);
  try {
    const result = await handle.run({ raise, steer, newestRules, acceptTests });
    view.end(result);
    if (!json && !quiet) noteLargeStore(workingDir, context);
    return result.exitCode;
  } finally {
    unsubscribe();
    view.close();
    ignoreSignals();
    await waitForNotified(handle, terminal);
  }
}

/** Snapshots grow where nobody looks. */
function noteLargeStore(workingDir: string, { environment, terminal }: CommandContext): void {
  const bytes = storeBytes(workingDir, environment);
  const advice = storeAdvice(bytes);
  if (bytes === undefined || advice === undefined) return;
  terminal.note(`The snapshots of this folder take ${formatByteSize(bytes)}: ${advice}.`);
}

/** What a suggested command needs to find the run from here. */
export function placeFlag(cwd: string | undefined): string {
  if (cwd === undefined) return '';
  return ` --cwd ${shellWord(cwd)}`;
}

type Stop = Extract<LoopCommand, { type: 'stop' }>;
type SignalName = 'Ctrl-C' | 'SIGTERM';

/** What of a run signals have to do with. */
type SignalledRun = Pick<RunHandle, 'send' | 'subscribe' | 'runState'>;

/**
 * Ctrl-C asks the run to stop after the iteration, a second one and SIGTERM at once; SIGHUP ends the view only. Returns
 * a function that takes the handlers away.
 */
export function obeySignals(handle: SignalledRun, terminal: Terminal, onHangUp: () => void): () => void {
  let wanted: { readonly command: Stop; readonly by: SignalName } | undefined;
  const ask = (now: boolean, by: SignalName, note: string) => {
    // Who asks again while the last hook runs does not want to wait for it.
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

/** What is still waited for, and how to end that, too. */
function laterText(state: RunState): string {
  const { hook } = state;
  if (isEnding(state) && state.pipeline === undefined)
    return hook === undefined ? '' : `: the hook ${hook} runs; Ctrl-C again ends it`;
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

/** The commands that make sense now, for somebody who stands anywhere. */
export function nextCommandsFor(context: CommandContext): (runId: string, state: RunState) => readonly string[] {
  return (runId, state) => {
    const place = placeFlag(state.spec?.workingDir);
    return hasEnded(state)
      ? nextSteps(runId, state, context, place)
      : nextCommands(runId, state, true, context.now(), place);
  };
}
