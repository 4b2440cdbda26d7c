import type { StopCondition } from '../../model/condition.js';
import { formatDuration, parseDuration } from '../../model/duration.js';
import type { RunSpec, WorktreeSpec } from '../../model/run-spec.js';
import type { RunState } from '../../model/run-state.js';
import { shellWord } from '../cli/shell-word.js';
import { shortId } from './short-id.js';

/** The commands that make sense after a run has ended. `place` is what they need to find it, such as ` --cwd DIR`. */
export function nextSteps(runId: string, { status, ended, spec }: RunState, place = ''): readonly string[] {
  const id = shortId(runId);
  const after =
    spec?.worktree === undefined
      ? [`pawl show ${id}${place}`]
      : [...worktreeSteps(spec.worktree, spec.commit), `pawl show ${id} --cwd ${shellWord(spec.workingDir)}`];
  if (status === 'completed') return after;
  const raised = (ended?.reasons ?? []).flatMap(({ condition, class: stopClass }) =>
    condition === undefined || (stopClass !== 'limit' && stopClass !== 'blocked') ? [] : raisedFlag(condition),
  );
  return [[`pawl resume ${id}`, ...raised].join(' ') + place, ...after];
}

/** How the work of a worktree gets into the user's own tree. */
function worktreeSteps({ path, branch, repository }: WorktreeSpec, commit: RunSpec['commit']): readonly string[] {
  const here = process.cwd();
  const isThere = here === repository || here.startsWith(`${repository}/`);
  const git = isThere ? 'git' : `git -C ${shellWord(repository)}`;
  const inside = `git -C ${shellWord(path)}`;
  return [
    ...(commit === 'never' ? [`${inside} add --all && ${inside} commit`] : []),
    `${git} merge ${shellWord(branch)}`,
    `${git} worktree remove ${shellWord(path)}`,
  ];
}

/** The commands that make sense for a run that has not ended. */
export function nextCommands(runId: string, state: RunState, isLive: boolean, place = ''): readonly string[] {
  const rest = `${shortId(runId)}${place}`;
  if (!isLive) return [`pawl resume ${rest}`];
  const { status, waiting } = state;
  if (waiting?.for === 'approval') return [`pawl approve ${rest}`, `pawl reject ${rest} TEXT`];
  if (status === 'paused' || status === 'waiting') return [`pawl unpause ${rest}`, `pawl stop ${rest}`];
  return [`pawl logs -f ${rest}`, `pawl stop ${rest}`];
}

/** The flag that raises a limit, with twice of what it was. */
function raisedFlag(condition: StopCondition): readonly string[] {
  switch (condition.type) {
    case 'max_iterations':
      return [`--max-iterations ${condition.count * 2}`];
    case 'max_cost':
      return [`--max-cost ${condition.usd * 2}`];
    case 'max_tokens':
      return [`--max-tokens ${condition.count * 2}`];
    case 'max_duration': {
      const ms = parseDuration(condition.duration);
      const twice = ms === undefined ? condition.duration : formatDuration(ms * 2, { exact: true });
      return [`--max-duration ${twice.replaceAll(' ', '')}`];
    }
    case 'max_input_tokens':
    case 'max_output_tokens':
      return [`--limit '${condition.type}: ${condition.count * 2}'`];
    default:
      return [];
  }
}
