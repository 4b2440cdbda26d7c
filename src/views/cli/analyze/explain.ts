import { explainedJson, explainRun } from '../../../app/explain-run.js';
import { exitCodeOfRecord } from '../../../app/read-record.js';
import { findRuns } from '../../../app/replay-runs.js';
import { placeFlag, runFolderOf } from '../../../app/run-folder.js';
import type { StaleCopy } from '../../../app/stale-copy.js';
import { type ListedRun, locateRun } from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { plural } from '../../../model/figures.js';
import { explainedLines } from '../../text/explained-lines.js';
import { jsonText } from '../../text/json-text.js';
import type { CommandContext } from '../command-context.js';

export interface ExplainCommandOptions {
  readonly at?: string;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Why a run stopped, or what is closest to stopping it. */
export async function explainCommand(
  reference: string | undefined,
  { at, cwd, json }: ExplainCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const iteration = iterationOf(at);
  const { run, stale } = await oneRun(reference, runFolderOf(cwd, context).workingDir, context);
  const explained = await explainRun(run, context.now(), iteration, stale);
  if (json === true) terminal.raw(`${jsonText(explainedJson(explained), 2)}\n`);
  else for (const line of explainedLines(explained, context, placeFor(reference, cwd))) terminal.say(line);
  return exitCodeOfRecord({ ...explained.record, problem: explained.problem }, terminal);
}

/** A run that is given by the path of its record is in no project where a command would find it by its id. */
function placeFor(reference: string | undefined, cwd: string | undefined): string | undefined {
  return reference !== undefined && /[/.]/.test(reference) ? undefined : placeFlag(cwd);
}

interface OneRun {
  readonly run: ListedRun;
  readonly stale?: StaleCopy | undefined;
}

/** A folder may hold many, and `all` means all: only one can be explained. */
async function oneRun(reference: string | undefined, workingDir: string, context: CommandContext): Promise<OneRun> {
  if (reference === undefined) return { run: locateRun(workingDir, reference, context.environment) };
  const [found, ...others] = await findRuns([reference], workingDir, context);
  if (found !== undefined && others.length === 0) return found;
  const message = `${JSON.stringify(reference)} means ${plural(others.length + 1, 'run')}; explain takes one: give its id or its path`;
  throw new ConfigError([{ path: '', message }]);
}

function iterationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const message = `${JSON.stringify(text)} is not the number of an iteration`;
  throw new ConfigError([{ path: '', place: '--at', message }]);
}
