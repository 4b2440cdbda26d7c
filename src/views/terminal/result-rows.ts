import { plural, quote } from '../../model/figures.js';
import { lostGreen } from '../../model/green-seen.js';
import { endOf, type GreenSeen } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { bestToKeep, type GoalFigure, goalFigures } from '../../stop/goal-figures.js';
import { shellWord } from '../cli/shell-word.js';
import { clockText } from './clock-text.js';
import type { LabelledRow } from './labelled-rows.js';
import { whenText } from './restored-text.js';
import { shortId } from './short-id.js';
import { passedText } from './tests-text.js';

/** Lists and metrics, each as it was last observed. */
export function goalRows(state: RunState): readonly LabelledRow[] {
  return goalFigures(state).map((figure) => [figure.kind, goalText(figure)]);
}

/** `PLAN.md: 7 of 12 boxes (the agent's own list)`. */
export function goalText({ kind, name, text }: GoalFigure): string {
  return kind === 'checklist' ? `${name}: ${text} (the agent's own list)` : `${quote(name, 40)}: ${text}`;
}

/** Which files the end of a run with `keep_best` left, and how to get the others. */
export function keptBestRows(state: RunState, runId: string, place = ''): readonly LabelledRow[] {
  const { keptBest, recent } = state;
  const ended = endOf(state);
  const restore = (to: string) => ({ command: `pawl restore ${shortId(runId)} ${to}${place}` });
  if (keptBest !== undefined && keptBest.problem === undefined) {
    const text = `the files are as they were ${whenText(keptBest.iteration)}, with the best result`;
    return [['best files', text, restore(`--to ${keptBest.before.slice(0, 10)}`), '(brings the last files back)']];
  }
  const best = bestToKeep(state);
  if (best === undefined || ended === undefined || ended.class === 'goal') return [];
  if (best.iteration === recent.at(-1)?.iteration) return [];
  const why = keptBest?.problem === undefined ? 'are not restored' : `could not be restored: ${keptBest.problem}`;
  const row = [`those ${whenText(best.iteration)} ${why}`] as const;
  return [best.tree === undefined ? ['best files', ...row] : ['best files', ...row, restore(String(best.iteration))]];
}

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

/** What became of the work where it is to be committed; nothing where nothing was tried. */
export function commitsText({ commits }: Pick<RunState, 'commits'>): string | undefined {
  if (commits === undefined) return undefined;
  const { made, problem, isUnpushed } = commits;
  if (problem === undefined) return plural(made, 'commit');
  const unpushed = made === 0 ? 'the only one' : `${plural(made, 'commit')}, and the last one`;
  if (isUnpushed === true) return `${unpushed} is on no branch: ${problem}`;
  // A tree that is gone holds nothing.
  const where = /^the working tree .* is gone$/.test(problem) ? '' : '; the work is in the tree, not committed';
  return `${made === 0 ? 'none' : `${plural(made, 'commit')}, and the last one failed`}: ${problem}${where}`;
}
