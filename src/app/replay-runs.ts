import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type ListedRun, listRunIds, listRuns, locateRun } from '../journal/list-runs.js';
import { JOURNAL_NAME, type Environment } from '../journal/run-places.js';
import { ConfigError } from '../model/errors.js';
import { shortIds } from '../words/short-id.js';
import { shownPath } from './shown-path.js';
import { lookForRun, nothingRecorded } from './fleet-records.js';
import type { StaleCopy } from './stale-copy.js';
import type { NotedSurroundings } from './surroundings.js';

/** A run to look back at, under the name that tables call it by. */
export interface NamedRun {
  readonly name: string;
  readonly run: ListedRun;
  /** Given by itself, and not found in a folder. */
  readonly isNamed: boolean;
  /** A copy of which no one knows whether it is current. */
  readonly stale?: StaleCopy | undefined;
}

const ALL = 'all';
const RALPH = '.ralph';

/**
 * The runs that are meant: ids or beginnings of them, `all` for those of the folder, paths of run folders, of journals, of
 * folders that hold run folders, or of projects. Nothing is the latest. Throws ConfigError.
 */
export async function findRuns(
  words: readonly string[],
  workingDir: string,
  context: NotedSurroundings,
  isAll = false,
): Promise<readonly NamedRun[]> {
  if (isAll && words.length > 0) throw refused(`--all means every run of this folder; ${words.join(' ')} is too much`);
  if (isAll || (words.length === 1 && words[0] === ALL)) {
    const listed = runsOf(workingDir, context.environment);
    if (listed.length === 0) throw refused(`there is no run in ${workingDir}`);
    return listed;
  }
  const short = shortIds(listRunIds(workingDir, context.environment));
  const located = async (word?: string): Promise<NamedRun> => {
    const { folder, unbegun, stale } = await lookForRun(workingDir, word, context);
    if (unbegun !== undefined) throw nothingRecorded(unbegun, context.now());
    const run = locateRun(folder, word, context.environment);
    return { name: short(run.runId), run, isNamed: true, stale };
  };
  if (words.length === 0) return [await located()];
  const found: NamedRun[] = [];
  // oxlint-disable-next-line no-await-in-loop -- few, and each may have to be fetched
  for (const word of words) found.push(...(runsAt(word, context) ?? [await located(word)]));
  // The first name that it was given by.
  return [...new Map(found.toReversed().map((one) => [realPath(one.run.journalPath), one])).values()].toReversed();
}

function runsOf(workingDir: string, environment: Environment): readonly NamedRun[] {
  const listed = listRuns(workingDir, environment);
  const short = shortIds(listed.map(({ runId }) => runId));
  return listed.map((run) => ({ name: short(run.runId), run, isNamed: false }));
}

/** Undefined when the word is no path. */
function runsAt(word: string, context: NotedSurroundings): readonly NamedRun[] | undefined {
  const path = resolve(context.cwd, word);
  const stats = statsOf(path);
  if (stats === undefined) {
    if (word.includes(sep)) throw refused(`there is no ${JSON.stringify(word)}`);
    return undefined;
  }
  if (stats.isFile()) return [runAt(path, true)];
  if (!stats.isDirectory()) throw refused(`${JSON.stringify(word)} is neither a run folder nor a journal`);
  const own = statsOf(join(path, JOURNAL_NAME));
  if (own?.isFile() === true) return [runAt(join(path, JOURNAL_NAME), true)];
  if (own !== undefined) throw refused(`${JOURNAL_NAME} in ${shownPath(path, context.cwd)} is not a file`);
  const below = runsBelow(path, context);
  if (below.length === 0)
    throw refused(`there is no ${JOURNAL_NAME} in ${shownPath(path, context.cwd)} or in its folders`);
  return below;
}

/** The runs in a folder of run folders, in a project, or in its `.ralph`. */
function runsBelow(folder: string, context: NotedSurroundings): readonly NamedRun[] {
  const journals = namesIn(folder, context.cwd)
    .map((name) => join(folder, name, JOURNAL_NAME))
    .filter((path) => statsOf(path)?.isFile() === true);
  if (journals.length > 0) return journals.map((path) => runAt(path, false));
  if (basename(folder) === RALPH) return runsOf(dirname(folder), context.environment);
  return statsOf(join(folder, RALPH)) === undefined ? [] : runsOf(folder, context.environment);
}

function runAt(journalPath: string, isNamed: boolean): NamedRun {
  const folder = dirname(journalPath);
  const isUsual = basename(journalPath) === JOURNAL_NAME;
  const runId = isUsual ? basename(folder) : basename(journalPath).replace(/\.jsonl$/, '');
  return { name: runId, run: { runId, workingDir: folder, folder, journalPath, isInProject: false }, isNamed };
}

function namesIn(folder: string, cwd: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    throw refused(`${shownPath(folder, cwd)} cannot be read`);
  }
}

/** A plain file has nothing below it, which is not an error here. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
