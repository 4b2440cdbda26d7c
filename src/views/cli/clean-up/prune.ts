import { outcomeNow } from '../../../model/outcome.js';
import { deleteRun, sizeOfRun } from '../../../journal/delete-run.js';
import { type ListedRun, listRuns } from '../../../journal/list-runs.js';
import { BYTE_SIZE_EXAMPLES, formatByteSize, parseByteSize } from '../../../model/byte-size.js';
import { DURATION_EXAMPLES, parseDuration } from '../../../model/duration.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { pruneSnapshots, snapshotBytes, storeBytes } from '../../../observation/files/snapshot-store.js';
import { plural } from '../../../model/figures.js';
import { agoText } from '../../../words/clock-text.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { runFolderOf } from '../../../app/run-folder.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';

export interface PruneOptions {
  readonly cwd?: string;
  readonly keep?: string;
  readonly maxSize?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface Aged {
  readonly run: ListedRun;
  /** When something was last recorded of it. */
  readonly at: string | undefined;
  readonly bytes: number;
}

interface Bounds {
  readonly keepMs: number | undefined;
  readonly maxBytes: number | undefined;
}

/** Deletes the records of old runs, the oldest first. One that is live is never touched. */
export async function pruneCommand(options: PruneOptions, context: CommandContext): Promise<ExitCode> {
  const { workingDir } = runFolderOf(options.cwd, context);
  const bounds = boundsOf(options);
  const runs = listRuns(workingDir, context.environment);
  const idle = runs
    .filter(({ holder }) => holder === undefined)
    .map((run) => agedOf(run, workingDir, context.environment));
  const live = runs
    .filter(({ holder }) => holder !== undefined)
    .map((run) => agedOf(run, workingDir, context.environment));
  const chosen = await choose(idle, live, bounds, workingDir, context);
  const freed =
    options.dryRun === true
      ? plan(chosen, [...idle, ...live], workingDir, context.environment)
      : remove(chosen, workingDir, live, context.environment);
  const done = await freed;
  report(done, options, context);
  const { problems } = done;
  return problems.length === 0 ? EXIT_CODES.goal : EXIT_CODES.error;
}

function boundsOf({ keep, maxSize }: PruneOptions): Bounds {
  if (keep === undefined && maxSize === undefined) {
    throw refused('', 'specify what to keep, for example --keep 30d (the runs of the last 30 days) or --max-size 5GB');
  }
  const keepMs = keep === undefined ? undefined : parseDuration(keep);
  if (keep !== undefined && keepMs === undefined) {
    throw refused('--keep', `${JSON.stringify(keep)} is not a duration; write ${DURATION_EXAMPLES}`);
  }
  const maxBytes = maxSize === undefined ? undefined : parseByteSize(maxSize);
  if (maxSize !== undefined && maxBytes === undefined) {
    throw refused('--max-size', `${JSON.stringify(maxSize)} is not a size; write ${BYTE_SIZE_EXAMPLES}`);
  }
  return { keepMs, maxBytes };
}

function agedOf(run: ListedRun, workingDir: string, environment: Environment): Aged {
  const at = run.snapshot?.at ?? run.snapshot?.startedAt;
  return { run, at, bytes: sizeOfRun(run, workingDir, environment) };
}

/** One whose age is not known is not called old. */
function isOlder(at: string | undefined, keepMs: number, nowMs: number): boolean {
  return at !== undefined && nowMs - Date.parse(at) > keepMs;
}

/** Those that are too old, and of the others the oldest until the rest fits. */
async function choose(
  idle: readonly Aged[],
  live: readonly Aged[],
  { keepMs, maxBytes }: Bounds,
  workingDir: string,
  context: CommandContext,
): Promise<readonly Aged[]> {
  const isOld = ({ at }: Aged) => keepMs !== undefined && isOlder(at, keepMs, context.now());
  const old = idle.filter(isOld);
  const young = idle.filter((one) => !isOld(one));
  if (maxBytes === undefined) return old;
  const fits = async (count: number) =>
    (await occupied([...young.slice(count), ...live], workingDir, context.environment)) <= maxBytes;
  // The fewest that are enough, by halves: to measure takes its time.
  let [enough, tooFew] = [young.length, -1];
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    // oxlint-disable-next-line no-await-in-loop -- each answer narrows the next question
    if (await fits(middle)) enough = middle;
    else tooFew = middle;
  }
  return [...old, ...young.slice(0, enough)];
}

async function occupied(runs: readonly Aged[], workingDir: string, environment: Environment): Promise<number> {
  const ids = runs.map(({ run }) => run.runId);
  const records = runs.reduce((sum, { bytes }) => sum + bytes, 0);
  return records + (await snapshotBytes(workingDir, ids, environment));
}

interface Pruned {
  readonly gone: readonly Aged[];
  /** What their snapshots took that no other run needs. */
  readonly snapshotBytes: number;
  readonly problems: readonly string[];
}

async function plan(
  gone: readonly Aged[],
  all: readonly Aged[],
  workingDir: string,
  environment: Environment,
): Promise<Pruned> {
  const kept = all.filter((one) => !gone.includes(one)).map(({ run }) => run.runId);
  if (gone.length === 0) return { gone, snapshotBytes: 0, problems: [] };
  const needed = await snapshotBytes(workingDir, kept, environment);
  const stored = storeBytes(workingDir, environment) ?? 0;
  return { gone, snapshotBytes: Math.max(0, stored - needed), problems: [] };
}

async function remove(
  runs: readonly Aged[],
  workingDir: string,
  live: readonly Aged[],
  environment: Environment,
): Promise<Pruned> {
  const before = storeBytes(workingDir, environment) ?? 0;
  const isLive = live.length > 0;
  const gone: Aged[] = [];
  const problems: string[] = [];
  for (const one of runs) {
    try {
      deleteRun(one.run, workingDir, environment);
      gone.push(one);
    } catch (error) {
      problems.push(`${shortId(one.run.runId)} was not deleted: ${messageOf(error)}`);
    }
  }
  try {
    const ids = gone.map(({ run }) => run.runId);
    if (ids.length > 0) await pruneSnapshots(workingDir, ids, { environment: environment, isLive });
  } catch (error) {
    problems.push(`the snapshots of the files are not deleted: ${messageOf(error)}`);
  }
  return { gone, snapshotBytes: Math.max(0, before - (storeBytes(workingDir, environment) ?? 0)), problems };
}

function report(
  { gone: deleted, snapshotBytes: snapshots, problems }: Pruned,
  { dryRun, json }: PruneOptions,
  context: CommandContext,
): void {
  const { terminal } = context;
  const bytes = deleted.reduce((sum, one) => sum + one.bytes, 0);
  const isDry = dryRun === true;
  if (json === true) {
    const runs = deleted.map(({ run, at, bytes: size }) => ({ runId: run.runId, at, bytes: size }));
    terminal.raw(`${jsonText({ dryRun: isDry, deleted: runs, bytes, snapshotBytes: snapshots, problems }, 2)}\n`);
    return;
  }
  for (const { run, at, bytes: size } of deleted) {
    const state = run.snapshot?.state === undefined ? 'unknown' : outcomeNow(run.snapshot.state, false).word;
    terminal.say(
      `${shortId(run.runId)} ${state.padEnd(14)} ${agoText(at, context.now()).padEnd(9)} ${formatByteSize(size)}`,
    );
  }
  for (const problem of problems) terminal.note(`pawl: ${printable(problem)}`);
  const parts = `${formatByteSize(bytes)} of records and ${formatByteSize(snapshots)} of snapshots`;
  const what = `${plural(deleted.length, 'run')}, ${formatByteSize(bytes + snapshots)} (${parts})`;
  if (deleted.length === 0) terminal.say('Nothing to delete.');
  else terminal.say(isDry ? `Would delete ${what}. Nothing was deleted.` : `Deleted ${what}.`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', ...(place === '' ? {} : { place }), message }]);
}
