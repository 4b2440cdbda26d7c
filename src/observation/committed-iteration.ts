import { workGit, type WorkPlace } from './work-git.js';

/** The iteration of a run that the commit which is checked out holds, as its trailers tell. */
export interface CommittedIteration {
  readonly iteration: number;
  readonly commit: string;
}

/** Undefined when what is checked out was not committed for an iteration of that run. */
export async function committedIteration(place: WorkPlace, runId: string): Promise<CommittedIteration | undefined> {
  const { output } = await workGit(place, ['log', '-1', `--format=${FORMAT}`, 'HEAD']);
  const [commit = '', run, iteration] = output.split('\n');
  return run === runId && /^\d+$/.test(iteration ?? '') ? { iteration: Number(iteration), commit } : undefined;
}

const FORMAT = ['Pawl-Run', 'Pawl-Iteration'].reduce(
  (format, key) => `${format}%n%(trailers:key=${key},valueonly,separator=%x2C)`,
  '%H',
);
