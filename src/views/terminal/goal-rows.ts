import { quote } from '../../model/figures.js';
import { endOf } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { bestToKeep, type GoalFigure, goalFigures } from '../../stop/goal-figures.js';
import type { LabelledRow } from './labelled-rows.js';
import { whenText } from './restored-text.js';
import { shortId } from './short-id.js';

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
