import { placeFlag } from '../../../app/run-folder.js';
import { obeySignals } from './run-signals.js';
import { join } from 'node:path';
import { projectRuns, realWorkingDir } from '../../../journal/run-places.js';
import { formatByteSize } from '../../../model/byte-size.js';
import type { StopCondition } from '../../../model/condition.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { storeAdvice, storeBytes } from '../../../observation/files/snapshot-store.js';
import type { RunHandle } from '../../../run/run-handle.js';
import { findLiveTerminal } from '../../text/live-terminal.js';
import { shownPath } from '../../../app/shown-path.js';
import { createRunView } from './run-view.js';
import { unblockTerminal, type Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

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
  const { terminal } = context;
  const { workingDir, json = false, quiet = false, cwd, raise = [], steer, newestRules, acceptTests } = options;
  const folder = join(projectRuns(realWorkingDir(workingDir)), handle.id);
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

/** Snapshots grow unnoticed. */
function noteLargeStore(workingDir: string, { environment, terminal }: CommandContext): void {
  const bytes = storeBytes(workingDir, environment);
  const advice = storeAdvice(bytes);
  if (bytes === undefined || advice === undefined) return;
  terminal.note(`The snapshots of this folder take ${formatByteSize(bytes)}: ${advice}.`);
}

const SILENT_MS = 1500;

/** Stays until the last notifications are out, a few seconds at most; a signal ends them. */
export async function waitForNotified(handle: Pick<RunHandle, 'notified'>, terminal: Terminal): Promise<void> {
  const leave = new AbortController();
  const onSignal = () => leave.abort();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  const timer = setTimeout(() => terminal.note('still sending the last notification; Ctrl-C cancels it'), SILENT_MS);
  try {
    await handle.notified(leave.signal);
  } finally {
    clearTimeout(timer);
    for (const name of names) process.off(name, onSignal);
  }
}
