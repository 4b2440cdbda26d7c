import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type ListedRun, listRuns, locateRun } from '../../journal/list-runs.js';
import { JOURNAL_NAME } from '../../journal/run-places.js';
import { ConfigError } from '../../model/errors.js';
import { shortId } from '../terminal/short-id.js';
import { shownPath } from '../terminal/shown-path.js';

/** A run to look back at, under the name that tables call it by. */
export interface NamedRun {
  readonly name: string;
  readonly run: ListedRun;
}

const ALL = 'all';

/**
 * The runs that are meant: ids or beginnings of them, `all` for those of the folder, paths of run folders, of journals, or of
 * folders that hold run folders. Nothing is the latest. Throws ConfigError.
 */
export function findRuns(words: readonly string[], workingDir: string, isAll = false): readonly NamedRun[] {
  const listed = listRuns(workingDir, process.env);
  const ids = listed.map(({ runId }) => runId);
  const named = (run: ListedRun): NamedRun => ({ name: shortId(run.runId, ids), run });
  if (isAll && words.length > 0) throw refused(`--all means every run of this folder; ${words.join(' ')} is too much`);
  if (isAll || (words.length === 1 && words[0] === ALL)) {
    if (listed.length === 0) throw refused(`there is no run in ${workingDir}`);
    return listed.map(named);
  }
  if (words.length === 0) return [named(locateRun(workingDir, undefined, process.env))];
  const found = words.flatMap((word) => runsAt(word) ?? [named(locateRun(workingDir, word, process.env))]);
  return [...new Map(found.map((one) => [one.run.journalPath, one])).values()];
}

/** Undefined when the word is no path. */
function runsAt(word: string): readonly NamedRun[] | undefined {
  const path = resolve(word);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    if (word.includes(sep)) throw refused(`there is no ${JSON.stringify(word)}`);
    return undefined;
  }
  if (stats.isFile()) return [runAt(path)];
  if (!stats.isDirectory()) throw refused(`${JSON.stringify(word)} is neither a run folder nor a journal`);
  const journals = isFile(join(path, JOURNAL_NAME)) ? [join(path, JOURNAL_NAME)] : journalsBelow(path);
  if (journals.length === 0) throw refused(`there is no ${JOURNAL_NAME} in ${shownPath(path)} or in its folders`);
  return journals.map(runAt);
}

function runAt(journalPath: string): NamedRun {
  const folder = dirname(journalPath);
  const isUsual = basename(journalPath) === JOURNAL_NAME;
  const runId = isUsual ? basename(folder) : basename(journalPath).replace(/\.jsonl$/, '');
  return { name: runId, run: { runId, workingDir: folder, folder, journalPath, removed: false } };
}

function journalsBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name, JOURNAL_NAME))
    .filter(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
