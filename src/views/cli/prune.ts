import { deleteRun, sizeOfFolder, sizeOfRun } from '../../journal/delete-run.js';
import { type ListedRun, listRuns } from '../../journal/list-runs.js';
import { BYTE_SIZE_EXAMPLES, formatByteSize, parseByteSize } from '../../model/byte-size.js';
import { DURATION_EXAMPLES, parseDuration } from '../../model/duration.js';
import { ConfigError, messageOf } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { pruneSnapshots, snapshotFolder } from '../../observation/files/prune-snapshots.js';
import { plural } from '../../stop/figures.js';
import { agoText } from '../terminal/clock-text.js';
import { printable } from '../terminal/printable.js';
import { shortId } from '../terminal/short-id.js';
import { shownStatus } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

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

interface Pruning {
  readonly workingDir: string;
  readonly keepMs: number | undefined;
  readonly maxBytes: number | undefined;
  readonly isDry: boolean;
}

/** So many of the runs go before it is measured again: to clear up the snapshots takes its time. */
const SHARE_PER_ROUND = 0.1;

/** Deletes the records of old runs, the oldest first. One that is live is never touched. */
export async function pruneCommand(options: PruneOptions, terminal: Terminal): Promise<ExitCode> {
  const { workingDir } = runFolderOf(options.cwd);
  const pruning = { workingDir, ...boundsOf(options), isDry: options.dryRun === true };
  const runs = listRuns(workingDir, process.env).filter(({ holder }) => holder === undefined);
  const aged = runs.map((run) => agedOf(run, workingDir));
  const old = aged.filter(({ at }) => pruning.keepMs !== undefined && isOlder(at, pruning.keepMs));
  const deleted: Aged[] = [];
  const problems: string[] = [];
  await remove(old, pruning, deleted, problems);
  await shrink(
    aged.filter((one) => !old.includes(one)),
    pruning,
    deleted,
    problems,
  );
  report(deleted, problems, options, terminal);
  return problems.length === 0 ? EXIT_CODES.goal : EXIT_CODES.error;
}

function boundsOf({ keep, maxSize }: PruneOptions): Pick<Pruning, 'keepMs' | 'maxBytes'> {
  if (keep === undefined && maxSize === undefined) {
    throw refused('', 'what is to be kept? --keep 30d keeps the runs of 30 days, --max-size 5GB keeps that much');
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

function agedOf(run: ListedRun, workingDir: string): Aged {
  const at = run.snapshot?.state.at ?? run.snapshot?.state.startedAt;
  return { run, at, bytes: sizeOfRun(run, workingDir, process.env) };
}

/** One whose age is not known is not called old. */
function isOlder(at: string | undefined, keepMs: number): boolean {
  return at !== undefined && Date.now() - Date.parse(at) > keepMs;
}

/** Deletes the oldest until what is left fits. What the snapshots take shrinks with them, by how much is seen after. */
async function shrink(candidates: readonly Aged[], pruning: Pruning, deleted: Aged[], problems: string[]) {
  const { maxBytes } = pruning;
  if (maxBytes === undefined) return;
  const waiting = [...candidates];
  while (waiting.length > 0) {
    let excess = occupied(waiting, pruning.workingDir) - maxBytes;
    if (excess <= 0) return;
    const most = Math.ceil(waiting.length * SHARE_PER_ROUND);
    const batch: Aged[] = [];
    while (excess > 0 && batch.length < most) {
      const oldest = waiting.shift();
      if (oldest === undefined) break;
      batch.push(oldest);
      excess -= oldest.bytes;
    }
    // oxlint-disable-next-line no-await-in-loop -- measured again after each
    await remove(batch, pruning, deleted, problems);
    if (pruning.isDry) return;
  }
}

function occupied(runs: readonly Aged[], workingDir: string): number {
  const snapshots = snapshotFolder(workingDir, process.env);
  const records = runs.reduce((sum, { bytes }) => sum + bytes, 0);
  return records + (snapshots === undefined ? 0 : sizeOfFolder(snapshots));
}

async function remove(runs: readonly Aged[], pruning: Pruning, deleted: Aged[], problems: string[]): Promise<void> {
  const { workingDir, isDry } = pruning;
  const gone: Aged[] = [];
  for (const one of runs) {
    try {
      if (!isDry) deleteRun(one.run, workingDir, process.env);
      gone.push(one);
    } catch (error) {
      problems.push(`${shortId(one.run.runId)} is not deleted: ${messageOf(error)}`);
    }
  }
  deleted.push(...gone);
  if (isDry || gone.length === 0) return;
  try {
    const ids = gone.map(({ run }) => run.runId);
    await pruneSnapshots(workingDir, ids, process.env);
  } catch (error) {
    problems.push(`the snapshots of the files are not deleted: ${messageOf(error)}`);
  }
}

function report(
  deleted: readonly Aged[],
  problems: readonly string[],
  { dryRun, json }: PruneOptions,
  terminal: Terminal,
): void {
  const bytes = deleted.reduce((sum, one) => sum + one.bytes, 0);
  const isDry = dryRun === true;
  if (json === true) {
    const runs = deleted.map(({ run, at, bytes: size }) => ({ runId: run.runId, at, bytes: size }));
    terminal.raw(`${JSON.stringify({ dryRun: isDry, deleted: runs, bytes, problems }, null, 2)}\n`);
    return;
  }
  for (const { run, at, bytes: size } of deleted) {
    const state = run.snapshot === undefined ? 'unknown' : shownStatus(run.snapshot.state, false);
    terminal.say(
      `${shortId(run.runId)} ${state.padEnd(11)} ${agoText(at, Date.now()).padEnd(9)} ${formatByteSize(size)}`,
    );
  }
  for (const problem of problems) terminal.note(`pawl: ${printable(problem)}`);
  const what = `${plural(deleted.length, 'run')}, ${formatByteSize(bytes)}`;
  if (deleted.length === 0) terminal.say('Nothing to delete.');
  else terminal.say(isDry ? `Would delete ${what}. Nothing was deleted.` : `Deleted ${what}, and their snapshots.`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', ...(place === '' ? {} : { place }), message }]);
}
