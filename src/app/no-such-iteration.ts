import { ConfigError } from '../model/errors.js';
import type { RunState } from '../model/run-state.js';
import { plural } from '../model/figures.js';

/** Says that a run has not had an iteration, and how many it has had. */
export function noSuchIteration(runId: string, number: number, { iterations }: RunState): ConfigError {
  const message = `${runId} has no iteration ${number}: there ${iterations === 1 ? 'is' : 'are'} ${plural(iterations, 'iteration')}`;
  return new ConfigError([{ path: '', message }]);
}
