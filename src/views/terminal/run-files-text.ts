import type { RunState } from '../../model/run-state.js';
import { count, plural } from '../../stop/figures.js';
import { recentIsComplete } from './recent-is-complete.js';

/** How many files a run changed, as far as that is known; nothing for a run without iterations. */
export function runFilesText(state: RunState): string | undefined {
  const { iterations, recent, spec } = state;
  if (iterations === 0) return undefined;
  if (spec?.trackFileChanges === false) return 'not known: changes are not tracked';
  if (!recent.some(({ changedFiles }) => changedFiles !== undefined)) return 'not known';
  return recentIsComplete(state) ? changedText(state) : totalsText(state);
}

/** Whether a run changed any file; undefined when nobody knows. */
export function hasChangedFiles({ history, iterations, recent }: RunState): boolean | undefined {
  if (iterations === 0) return false;
  const { totalFilesCreated, totalFilesModified } = history;
  if (totalFilesCreated + totalFilesModified > 0 || recent.some(({ changedFiles = 0 }) => changedFiles > 0))
    return true;
  return recent.some(({ changedFiles }) => changedFiles === undefined) ? undefined : false;
}

function changedText({ recent }: RunState): string {
  const known = recent.filter(({ changedFiles }) => changedFiles !== undefined);
  const changed = known.reduce((sum, { changedFiles = 0 }) => sum + changedFiles, 0);
  const unknown = recent.filter(({ changedFiles }) => changedFiles === undefined);
  const notes = [
    known.length > 1 && changed > 1 ? `a file counts once for each of ${iterationsAndTries(known)}` : undefined,
    unknown.length > 0 ? `not known of ${iterationsAndTries(unknown)}` : undefined,
  ].filter((note) => note !== undefined);
  const text = changed === 0 ? 'none changed' : `${plural(changed, 'file')} changed`;
  return notes.length === 0 ? text : `${text} (${notes.join(', ')})`;
}

/** A limited one gives its number back: it is a try, and not one of the iterations. */
function iterationsAndTries(ended: RunState['recent']): string {
  const tries = ended.filter(({ outcome }) => outcome === 'limited').length;
  const iterations = ended.length - tries;
  return [
    ...(iterations === 0 ? [] : [plural(iterations, 'iteration')]),
    ...(tries === 0
      ? []
      : [tries === 1 ? '1 try that did not get through' : `${count(tries)} tries that did not get through`]),
  ].join(' and ');
}

/** Of a long run only these two are added up. */
function totalsText({ history, iterations }: RunState): string {
  const { totalFilesCreated: created, totalFilesModified: modified } = history;
  return `${count(created)} created, ${count(modified)} modified (summed over ${plural(iterations, 'iteration')})`;
}
