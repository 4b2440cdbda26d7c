import type { StopCondition } from '../../model/condition.js';
import { formatDuration, parseDuration } from '../../model/duration.js';
import type { RunState } from '../../model/run-state.js';
import { shortId } from './short-id.js';

/** The commands that make sense after a run has ended. `place` is what they need to find it, such as ` --cwd DIR`. */
export function nextSteps(runId: string, { status, ended }: RunState, place = ''): readonly string[] {
  const id = shortId(runId);
  const show = `pawl show ${id}${place}`;
  if (status === 'completed') return [show];
  const raised = (ended?.reasons ?? []).flatMap(({ condition, class: stopClass }) =>
    condition === undefined || (stopClass !== 'limit' && stopClass !== 'blocked') ? [] : raisedFlag(condition),
  );
  return [[`pawl resume ${id}`, ...raised].join(' ') + place, show];
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
