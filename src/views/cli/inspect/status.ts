import { lookForRun } from '../../../app/fleet-records.js';
import { exitCodeOfRecord, readLatest } from '../../../app/read-record.js';
import { placeFlag, runFolderOf } from '../../../app/run-folder.js';
import { statusJson } from '../../../app/status-json.js';
import { locateRun } from '../../../journal/list-runs.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { jsonText } from '../../text/json-text.js';
import { statusLines } from '../../text/status-lines.js';
import type { CommandContext } from '../command-context.js';
import { showUnbegun } from './show-unbegun.js';

export interface StatusOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Where a run is now, or how it ended. */
export async function statusCommand(
  reference: string | undefined,
  { cwd, json }: StatusOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { folder, unbegun, stale } = await lookForRun(runFolderOf(cwd, context).workingDir, reference, context);
  if (unbegun !== undefined) return showUnbegun(unbegun, json === true, context);
  const run = locateRun(folder, reference, context.environment);
  const record = await readLatest(run);
  if (json === true) terminal.raw(`${jsonText(statusJson(run, record, context, stale), 2)}\n`);
  else for (const line of statusLines(run, record, context, placeFlag(cwd), stale)) terminal.say(line);
  return exitCodeOfRecord(record, terminal);
}
