import { lostGreen } from '../../model/green-seen.js';
import type { GreenSeen } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { shellWord } from '../cli/shell-word.js';
import { clockText } from './clock-text.js';
import type { LabelledRow } from './labelled-rows.js';
import { shortId } from './short-id.js';
import { passedText } from './tests-text.js';

/** When all tests were green in an iteration that did not end so, and how to get back there. `place`: what a command needs to find the run. */
export function greenRow(
  { iteration, at, passed }: GreenSeen & { readonly iteration: number },
  { runId, place, nowMs }: { readonly runId: string; readonly place: string; readonly nowMs: number },
): LabelledRow {
  const command = `pawl restore ${shortId(runId)} ${iteration}@green${place}`;
  const when = `at ${clockText(at, nowMs)} in iteration ${iteration}: ${passedText(passed)}`;
  return ['green', when, { command }, '(brings that state back)'];
}

/** The same for the newest of a run, unless an iteration has ended green since. */
export function lostGreenRows(
  state: RunState,
  { runId, place = '', nowMs }: { readonly runId: string; readonly place?: string | undefined; readonly nowMs: number },
): readonly LabelledRow[] {
  const green = lostGreen(state);
  const { worktree, workingDir = '' } = state.spec ?? {};
  const where = worktree === undefined ? place : ` --cwd ${shellWord(workingDir)}`;
  return green === undefined ? [] : [greenRow(green, { runId, place: where, nowMs })];
}
