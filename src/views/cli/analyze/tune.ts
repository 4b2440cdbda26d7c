import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { recordingOf } from '../../../import/import-recordings.js';
import { type ListedRun, listRuns } from '../../../journal/list-runs.js';
import { importedFolder } from '../../../journal/run-places.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import type { RunEvent } from '../../../model/run-event.js';
import { recordedTask } from '../../../model/run-name.js';
import { createTrace, labelOf, type TracedRun } from '../../../tune/trace-run.js';
import { stopBlock, type Tuning, tuneRuns } from '../../../tune/tune-runs.js';
import { jsonText } from '../../text/json-text.js';
import { shortIds } from '../../../words/short-id.js';
import { tuneLines } from '../../text/tune-lines.js';
import { frontierSvg } from '../../text/export/frontier-svg.js';
import type { CommandContext } from '../command-context.js';
import { readRuns } from '../../../app/recorded-runs.js';
import type { NamedRun } from '../../../app/replay-runs.js';
import { runFolderOf } from '../../../app/run-folder.js';

export interface TuneCommandOptions {
  readonly imported?: boolean;
  readonly cwd?: string;
  readonly lose?: string;
  readonly task?: string;
  readonly out?: string;
  readonly svg?: string;
  readonly json?: boolean;
}

const DEFAULT_MODEL_FILE = 'likely-to-fail.json';

/** Searches labelled runs for the policy that saves most for the goals that it would lose. Executes nothing. */
export async function tuneCommand(options: TuneCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd } = context;
  const lose = readShare(options.lose ?? '1%');
  const taskOf = readPattern(options.task);
  const own =
    options.imported === true ? [] : listRuns(runFolderOf(options.cwd, context).workingDir, context.environment);
  const folder = importedFolder(context.environment);
  const imported = folder === undefined ? [] : listRuns(folder, context.environment);
  const { labelled, unlabelled } = await traceRuns([...own, ...imported], taskOf, context);
  const tuning = tuneRuns(labelled, { lose, countsCalls: false });
  const { recommended, model } = tuning;
  const modelFile = options.out ?? DEFAULT_MODEL_FILE;
  if (options.out !== undefined && model !== undefined)
    write(resolve(cwd, options.out), '--out', `${JSON.stringify(model, undefined, 2)}\n`);
  if (options.svg !== undefined && tuning.tooLittle === undefined)
    write(resolve(cwd, options.svg), '--svg', frontierSvg(tuning));
  const stop = recommended?.tried === undefined ? undefined : stopBlock(recommended.tried, modelFile);
  if (options.json === true) terminal.raw(`${jsonText({ ...tuning, unlabelled, lose, stop }, 2)}\n`);
  else {
    const lines = tuneLines(tuning, { unlabelled, lose, stop, modelFile: options.out }, terminal);
    for (const line of lines) terminal.say(line);
  }
  return exitCodeOf(tuning);
}

/** A script that uses what is recommended must not continue where nothing is. */
function exitCodeOf({ tooLittle, recommended }: Tuning): ExitCode {
  if (tooLittle !== undefined) return EXIT_CODES.blocked;
  return recommended === undefined ? EXIT_CODES.failure : EXIT_CODES.goal;
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}

function readShare(text: string): number {
  const [, figure, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const share = Number(figure) / (sign === '%' ? 100 : 1);
  if (share >= 0 && share <= 1) return share;
  throw refused('--lose', `must be a share of the goals, such as 1% or 0.01, not ${JSON.stringify(text.slice(0, 40))}`);
}

function readPattern(text: string | undefined): (name: string) => string | undefined {
  if (text === undefined) return () => undefined;
  let pattern: RegExp;
  try {
    pattern = new RegExp(text);
  } catch (error) {
    throw refused('--task', messageOf(error));
  }
  return (name) => {
    const found = pattern.exec(name);
    return found?.[1] ?? found?.[0];
  };
}

function write(path: string, place: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw refused(place, messageOf(error));
  }
}

interface Traced {
  readonly labelled: readonly TracedRun[];
  readonly unlabelled: number;
}

async function traceRuns(
  runs: readonly ListedRun[],
  taskOf: (name: string) => string | undefined,
  { terminal }: CommandContext,
): Promise<Traced> {
  const short = shortIds(runs.map(({ runId }) => runId));
  const recordings = new Map(runs.map((run) => [short(run.runId), recordingOf(run.folder)]));
  const named: NamedRun[] = runs.map((run) => ({ name: short(run.runId), run, isNamed: false }));
  const begin = (id: string) => {
    const recording = recordings.get(id);
    const name = recording?.name ?? id;
    const trace = createTrace(name);
    const end = (): TracedRun | undefined => {
      const isGoal = labelOf(trace.state);
      if (isGoal === undefined) return undefined;
      const task = taskOf(name) ?? recording?.asked ?? recording?.name ?? recordedTask(trace.state) ?? id;
      return trace.end({ task, isGoal });
    };
    return { see: (event: RunEvent) => trace.see(event), end };
  };
  const { found } = await readRuns(named, begin, terminal);
  const labelled = found.flatMap(({ result }) => result ?? []);
  return { labelled, unlabelled: found.length - labelled.length };
}
