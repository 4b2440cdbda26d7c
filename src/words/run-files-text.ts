import type { RunState } from '../model/run-state.js';
import { isBackAtStart } from '../model/work.js';
import { count, plural } from '../model/figures.js';
import { rejectedText } from '../stop/summary-notes.js';
import { recentIsComplete } from './iteration-text.js';
import { isRefusal } from '../model/wait-policy.js';

/** How many files a run changed, as far as that is known; nothing for a run without iterations. */
export function runFilesText(state: RunState): string | undefined {
  const { iterations, recent, spec, kind } = state;
  if (iterations === 0) return undefined;
  if (kind === 'imported') return 'unknown (no other tool records them)';
  if (spec?.trackFileChanges === false) return 'unknown (changes are not tracked)';
  if (!recent.some(({ changedFiles }) => changedFiles !== undefined))
    return 'unknown (Pawl could not take a snapshot); the files are as the agent left them';
  const changed = recentIsComplete(state) ? changedText(state) : totalsText(state);
  return isBackAtStart(state) ? `as before the first iteration (${changed})` : changed;
}

/** Whether a run changed any file; undefined when no one knows. */
export function hasChangedFiles({ history, iterations, recent }: RunState): boolean | undefined {
  if (iterations === 0) return false;
  const { totalFilesCreated, totalFilesModified } = history;
  if (totalFilesCreated + totalFilesModified > 0 || recent.some(({ changedFiles = 0 }) => changedFiles > 0))
    return true;
  return recent.some(({ changedFiles }) => changedFiles === undefined) ? undefined : false;
}

function changedText(state: RunState): string {
  const { recent } = state;
  const known = recent.filter(({ changedFiles }) => changedFiles !== undefined);
  const unknown = recent.filter(({ changedFiles }) => changedFiles === undefined);
  const changing = known.filter(({ changedFiles = 0 }) => changedFiles > 0);
  const named = namesIn(state);
  const text =
    changing.length > 1
      ? `${eachText(changing)}${named && `; last changed: ${named}`}`
      : `${onceText(changing[0]?.changedFiles ?? 0)}${named && `: ${named}`}`;
  return unknown.length === 0 ? text : `${text} (unknown for ${iterationsAndTries(unknown)})`;
}

const MOST_NAMES = 3;

/** The files that the last iteration changed, if there are few. The record knows those of earlier ones. */
function namesIn({ latest, factsBefore = latest }: RunState): string {
  const { created = [], modified = [], deleted = [], changedFiles = 0 } = factsBefore.observation.files ?? {};
  const names = [...created, ...modified, ...deleted];
  return names.length === changedFiles && names.length <= MOST_NAMES ? names.join(', ') : '';
}

function onceText(changed: number): string {
  return changed === 0 ? 'no files changed' : `${plural(changed, 'file')} changed`;
}

/** Whether two iterations changed the same file is not known, so their files are not added up. */
function eachText(changing: RunState['recent']): string {
  const counts = changing.map(({ changedFiles = 0 }) => changedFiles);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const each = least === most ? plural(most, 'file') : `${count(least)} to ${plural(most, 'file')}`;
  return `changed in ${iterationsAndTries(changing)}, ${each} in each`;
}

/** A limited one gives its number back: it is a try, and not one of the iterations. */
function iterationsAndTries(ended: RunState['recent']): string {
  const tries = ended.filter(({ outcome }) => isRefusal(outcome)).length;
  const iterations = ended.length - tries;
  return [
    ...(iterations === 0 ? [] : [plural(iterations, 'iteration')]),
    ...(tries === 0 ? [] : [rejectedText(tries)]),
  ].join(' and ');
}

/** Of a long run only these two are added up. */
function totalsText({ history, iterations }: RunState): string {
  const { totalFilesCreated: created, totalFilesModified: modified } = history;
  return `${count(created)} created, ${count(modified)} modified (summed over ${plural(iterations, 'iteration')})`;
}
