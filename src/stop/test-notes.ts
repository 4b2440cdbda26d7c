import { count, list, plural } from '../model/figures.js';
import type { EarlierStart } from '../model/observation.js';
import { someText } from '../model/original-tests.js';
import { endOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { allPassed } from '../model/test-results.js';
import { factsOf } from './facts.js';
import { hasTestGoal } from './test-goal.js';
import { startOf } from '../model/start-of-run.js';

/** What the agent did to the tests, and what could fool them. */
export function testNotes(state: RunState, shown: string): readonly string[] {
  const { testFiles = {}, originals } = state;
  const changed = Object.keys(testFiles).filter((path) => testFiles[path] === 'changed');
  const others = (originals?.last.changed ?? []).filter((path) => testFiles[path] === undefined);
  const isPassed = originals?.last.tests !== undefined && originals.problem === undefined;
  const proof = isPassed ? '; the original tests pass as well' : '';
  return [
    ...(changed.every((path) => shown.includes(path)) ? [] : [`${changedText(changed)}${proof}`]),
    ...(others.length === 0
      ? []
      : [`The agent changed how the tests run: ${list(others)}${changed.length === 0 ? proof : ''}`]),
    ...earlierNotes(state),
    ...outsideNotes(state),
    ...nameNotes(state),
    ...flagNotes(state),
  ];
}

/** Tests that were rejected or lost in the run before are not the new original ones. */
export function earlierText({ run }: EarlierStart): string {
  return `the original tests are those of the start of run ${run}, until you commit the tests as they are now`;
}

function earlierNotes(state: RunState): readonly string[] {
  const { earlier } = state.baseline ?? {};
  if (earlier === undefined || endOf(state) === undefined || endOf(state)?.class === 'goal') return [];
  const text = earlierText(earlier);
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}`];
}

/** Whatever made red tests green is in no file that Pawl compares. */
function outsideNotes(state: RunState): readonly string[] {
  const { tests } = state.latest.observation;
  const start = startOf(state).tests;
  if (endOf(state)?.class !== 'goal' || tests === undefined || start === undefined) return [];
  const isTurned = allPassed(tests) && !allPassed(start) && state.iterations > 0;
  if (!isTurned || factsOf(state).differsFromStart !== false) return [];
  return [
    'No file of the project changed, but tests that failed at the start pass now: look at ignored files, and outside the folder',
  ];
}

/** How the tests of work that is done were compared with those of the start. */
function nameNotes(state: RunState): readonly string[] {
  const { tests, original } = state.latest.observation;
  const start = startOf(state).tests;
  if (endOf(state)?.class !== 'goal' || state.iterations === 0 || tests?.grade === undefined) return [];
  if (!hasTestGoal(state) || tests.source !== 'harness' || start?.grade === undefined || tests.grade === 'exit-code')
    return [];
  const { missing, added } = tests.changes ?? {};
  if ((original?.tests ?? tests).changes === undefined) return ['The tests were compared by number, not by name'];
  if (missing === undefined) return [];
  const others = added === undefined ? '' : `; new: ${someText(added)}`;
  return [`Tests of the start that are not there under their names: ${someText(missing)}${others}`];
}

/** Added lines that a person should read before trusting the tests. */
export function flagNotes({ originals }: RunState): readonly string[] {
  const flags = originals?.last.flags ?? [];
  if (flags.length === 0) return [];
  const named = flags.map(({ path, line, what }) => `${path}:${line} (${what})`);
  return [`Review ${plural(flags.length, 'line')} that could fool the tests: ${list(named)}`];
}

function changedText(paths: readonly string[]): string {
  return `The agent changed ${paths.length === 1 ? 'a test file' : `${count(paths.length)} test files`}: ${list(paths)}`;
}
