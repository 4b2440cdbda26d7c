import { tailJournal } from '../../journal/tail-journal.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { isTerminal } from '../../model/loop-state.js';
import { findLiveTerminal } from '../live/live-terminal.js';
import { endReport } from '../terminal/end-report.js';
import { shownPath } from '../terminal/shown-path.js';
import { chooseLiveRun } from './choose-live-run.js';
import { placeFlag } from './drive-run.js';
import { endInFleet, whileCurrent } from './fleet-records.js';
import { logsCommand } from './logs.js';
import { exitCodeOfRecord, readRecord } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';
import { showUnbegun } from './unbegun-run.js';
import { endOfUnbegun, waitUntilBegun } from './wait-until-begun.js';
import { watchLive } from './watch-live.js';

export interface WatchOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Shows a run as its own terminal does, from any other; the run does not notice. */
export async function watchCommand(
  reference: string | undefined,
  { cwd, json, quiet }: WatchOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const begun = await waitUntilBegun(runFolderOf(cwd).workingDir, reference, terminal);
  if (begun.unbegun !== undefined) {
    showUnbegun(begun.unbegun, json === true, terminal);
    return endOfUnbegun(begun.unbegun).exitCode;
  }
  const { folder: workingDir } = begun;
  const live = json === true || quiet === true ? undefined : findLiveTerminal(terminal);
  const run = await chooseLiveRun(workingDir, begun.reference, live, terminal);
  if (run === undefined) return live?.input === undefined ? EXIT_CODES.usage : EXIT_CODES.goal;
  if (live === undefined && quiet !== true) {
    return logsCommand(
      run.runId,
      { ...(cwd === undefined ? {} : { cwd }), json: json === true, follow: true },
      terminal,
    );
  }
  if (live !== undefined) {
    return whileCurrent(run, terminal, () => watchLive(run, { workingDir, place: placeFlag(cwd), live, terminal }));
  }
  const record = await readRecord(run);
  if (!record.isDamaged && !isTerminal(record.state.status)) {
    await whileCurrent(run, terminal, async () => {
      for await (const { type } of tailJournal(run.journalPath, { fromSeq: record.state.seq + 1 })) {
        if (type === 'run-ended') break;
      }
    });
  }
  const whole = await readRecord(run);
  const { state, items } = whole;
  const ended = {
    runId: run.runId,
    state,
    items,
    folder: shownPath(run.folder),
    place: placeFlag(cwd),
    ...endInFleet(run),
  };
  for (const line of endReport(ended, terminal)) terminal.say(line);
  return exitCodeOfRecord(whole, terminal);
}
