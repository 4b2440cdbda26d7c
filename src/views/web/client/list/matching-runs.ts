import type { RunRow } from '../../wire/api.js';

export interface RunFilter {
  /** Words that must all be found somewhere in a run's row. */
  readonly text: string;
  /** A status, `live`, or nothing for all. */
  readonly status: string;
}

export const NO_FILTER: RunFilter = { text: '', status: '' };

export function matchingRuns(runs: readonly RunRow[], { text, status }: RunFilter): readonly RunRow[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0 && status === '') return runs;
  return runs.filter(
    (run) => hasStatus(run, status) && wanted.every((word) => isNamed(run, word) || searched(run).includes(word)),
  );
}

/** Those that there are, to choose from. */
export function statusesOf(runs: readonly RunRow[]): readonly string[] {
  return [...new Set(runs.map(({ outcome }) => outcome.word))].sort();
}

function hasStatus(run: RunRow, status: string): boolean {
  if (status === '') return true;
  return status === 'live' ? run.isLive : run.outcome.word === status;
}

/** As in the commands: the beginning or the end of an id, with or without its kind. */
function isNamed({ runId }: RunRow, word: string): boolean {
  const id = runId.toLowerCase();
  return (
    id.startsWith(word) || id.slice(id.indexOf('_') + 1).startsWith(word) || (word.length >= 4 && id.endsWith(word))
  );
}

function searched({ kind, outcome, name, project, agent, model, branch, why }: RunRow): string {
  return [kind, outcome.word, name, project, agent, model, branch, why].filter(Boolean).join('\n').toLowerCase();
}
