import { endOf, loopStateOf } from '../../../../model/phase.js';
import { shellWord } from '../../../cli/shell-word.js';
import { raisedFlag, steerFlag } from '../../../terminal/raised-flag.js';
import { shortId } from '../../../terminal/short-id.js';
import type { ViewedRun } from '../../wire/api.js';

/** What can be done in a terminal about a run that nobody runs now. */
export function commandsToCopy({ runId, view, workingDir }: ViewedRun): readonly string[] {
  const { state } = view;
  const place = `${isOfFleet(workingDir) ? runId : shortId(runId)} --cwd ${shellWord(workingDir)}`;
  const show = `pawl show ${place}`;
  // The model and the tools of an agent in a program are functions: only that program can go on with it.
  if (state.kind === 'agent' || isOfFleet(workingDir)) return [show];
  const isDone = loopStateOf(state) === 'completed';
  if (state.pipeline !== undefined) return isDone ? [show] : [`pawl pipeline run --resume ${place}`, show];
  const changed = state.recent.some(({ changedFiles = 0 }) => changedFiles > 0);
  const diff = changed ? [`pawl diff ${place}`] : [];
  if (isDone) return [...diff, show];
  const flags = (endOf(state)?.reasons ?? []).flatMap(({ condition, class: stopClass }) =>
    condition === undefined || stopClass !== 'limit' ? [] : (raisedFlag(condition, state, Date.now()) ?? []),
  );
  const { guardBroken } = state;
  const ended = endOf(state);
  // Until the protected files are as before, a resume is refused.
  const wayBack =
    guardBroken === undefined || ended?.class !== 'veto' || state.spec?.worktree !== undefined
      ? []
      : [`pawl restore ${shortId(runId)} ${Math.max(0, guardBroken.iteration - 1)} --cwd ${shellWord(workingDir)}`];
  const resume = [`pawl resume ${place}`, ...new Set(flags), ...steerFlag(state)].join(' ');
  return [...wayBack, resume, ...diff, show];
}

/** The record is a copy: only the fleet goes on with it. */
function isOfFleet(workingDir: string): boolean {
  return /\/pawl\/fleet-records\/[0-9a-f]{16}$/.test(workingDir);
}
