import { hasEnded } from '../../../model/phase.js';
import { tailJournal } from '../../../journal/tail-journal.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { findLiveTerminal } from '../../text/live-terminal.js';
import { endReport } from '../../text/end-report.js';
import { shownRecord } from '../../../app/shown-record.js';
import { chooseLiveRun } from './choose-live-run.js';
import { placeFlag } from '../../../app/run-folder.js';
import { endInFleet, whileCurrent } from '../../../app/fleet-records.js';
import { logsCommand } from './logs.js';
import { exitCodeOfRecord, readRecord } from '../../../app/read-record.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { showUnbegun } from './show-unbegun.js';
import { endOfUnbegun, waitUntilBegun } from './wait-until-begun.js';
import { watchLive } from './watch-live.js';
import type { CommandContext } from '../command-context.js';

export interface WatchOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Shows a run as its own terminal does, from any other; the run does not notice. */
export async function watchCommand(
  reference: string | undefined,
  { cwd, json, quiet }: WatchOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const begun = await waitUntilBegun(runFolderOf(cwd, context).workingDir, reference, context);
  if (begun.unbegun !== undefined) {
    showUnbegun(begun.unbegun, json === true, context);
    return endOfUnbegun(begun.unbegun).exitCode;
  }
  const { folder: workingDir } = begun;
  const live = json === true || quiet === true ? undefined : findLiveTerminal(context);
  const run = await chooseLiveRun(workingDir, begun.reference, live, context);
  if (run === undefined) return live?.input === undefined ? EXIT_CODES.usage : EXIT_CODES.goal;
  if (live === undefined && quiet !== true) {
    return logsCommand(
      run.runId,
      { ...(cwd === undefined ? {} : { cwd }), json: json === true, follow: true },
      context,
    );
  }
  if (live !== undefined) {
    return whileCurrent(run, context, () => watchLive(run, { workingDir, place: placeFlag(cwd), live }, context));
  }
  const record = await readRecord(run);
  if (!record.isDamaged && !hasEnded(record.state)) {
    await whileCurrent(run, context, async () => {
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
    folder: shownRecord(run, context.cwd),
    place: placeFlag(cwd),
    ...endInFleet(run, context.environment),
  };
  for (const line of endReport(ended, context)) terminal.say(line);
  return exitCodeOfRecord(whole, terminal);
}
