import type { EarlierStart, Observation } from './observation.js';
import { endOf } from './phase.js';
import type { RunState } from './run-state.js';
import { testsRan } from './test-results.js';

/** What work is compared with: the start of the run or of an earlier one, or what a person has accepted since. */
export function startOf({ baseline, accepted }: RunState): Pick<Observation, 'tests' | 'tree' | 'kept'> {
  return accepted ?? baseline?.earlier ?? baseline ?? {};
}

/** Whether files were changed, and all of them are as before the first iteration again. */
export function isBackAtStart({ baseline, recent }: RunState): boolean {
  const start = baseline?.tree ?? baseline?.fingerprint?.after;
  const hasChanged = recent.some(({ changedFiles = 0 }) => changedFiles > 0);
  return hasChanged && start !== undefined && recent.at(-1)?.tree === start;
}

/**
 * Where the next run in the same folder is to be compared with, because this one has ended with tests that were refused or
 * that are missing. Undefined when nothing is open: it is done, or a person has accepted the tests.
 */
export function unsettledStart(runId: string, state: RunState): EarlierStart | undefined {
  const end = endOf(state);
  if (end === undefined || end.class === 'goal' || state.accepted !== undefined) return undefined;
  const { tree, tests, kept } = startOf(state);
  const { originals, baseline, latest } = state;
  const now = latest.observation.tests;
  const [before, ran] = [tests && testsRan(tests), now && testsRan(now)];
  const areMissing = before !== undefined && ran !== undefined && ran < before;
  const isRefused = originals !== undefined && originals.refused > 0;
  if (tree === undefined || !(isRefused || areMissing || baseline?.earlier !== undefined)) return undefined;
  return { run: baseline?.earlier?.run ?? runId, tree, tests, kept };
}
