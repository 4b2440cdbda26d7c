import { endOf, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { UNCOUNTED_PATH } from './evaluate-policy.js';
import { hasBrokenGuard } from './precondition.js';

/** A command that makes sense now, and what it is for. */
export interface NextStep {
  readonly command: string;
  /** `review`, `undo`; undefined where the command says it itself. */
  readonly label?: string | undefined;
  /** What it does, where that is not clear. */
  readonly about?: string | undefined;
}

/** Work that a run was rejected for is kept. */
const KEEP = /^(?:git (?:-C .+ )?add --all && git (?:-C .+ )?commit && )?pawl run(?: |$)/;

const LABELS: readonly (readonly [RegExp, string])[] = [
  [/^pawl diff /, 'review'],
  [/^pawl approve /, 'accept'],
  [/^pawl answer /, 'answer'],
  [/^pawl restore /, 'undo'],
  [/^pawl resume /, 'continue'],
  [KEEP, 'or keep'],
  [/^pawl pipeline run --resume .* --redo /, 'redo'],
  [/^pawl pipeline run --resume /, 'continue'],
  [/^pawl show /, 'details'],
  [/^git .*\bmerge /, 'merge'],
  [/^git .*\bworktree remove /, 'clean up'],
  [/^git .*\bworktree add /, 'bring back'],
];

/** The same words for a command in every view. */
export function nextStepsOf(commands: readonly string[], state: RunState): readonly NextStep[] {
  return commands.map((command) => ({
    command,
    label: LABELS.find(([form]) => form.test(command))?.[1],
    about: aboutOf(command, state),
  }));
}

function aboutOf(command: string, state: RunState): string | undefined {
  const to = /^pawl restore \S+ (\d+)(?= |$)/.exec(command)?.[1];
  if (to !== undefined)
    return `all but ignored files, as ${to === '0' ? 'before the first iteration' : `after iteration ${to}`}${/ --force\b/.test(command) ? '; a checkpoint keeps what is replaced' : ''}`;
  const of = /^pawl diff \S+ (\d+)(?= |$)/.exec(command)?.[1];
  if (of !== undefined) return `what iteration ${of} changed`;
  if (command.startsWith('pawl approve '))
    return isUncountedEnd(state)
      ? 'accepts that the tests exit with 0, and checks the work again'
      : 'accepts the tests as the agent changed them, and checks the work again';
  if (KEEP.test(command))
    return `${command.startsWith('git ') ? 'commits all changes' : 'keeps the change'} and starts a new run, which takes the files as they are`;
  const isResume = command.startsWith('pawl resume ');
  if (isResume && canUndo(state)) return 'after the undo: Pawl refuses while protected files are changed';
  if (isResume && / --max-[a-z-]+ \S/.test(command)) return 'the new limit counts from the start of the run';
  const open = openIteration(state);
  if (open !== undefined && command.startsWith('pawl diff ')) return `up to iteration ${state.iterations}`;
  if (!isResume || (open === undefined && endOf(state)?.error === undefined)) return undefined;
  // The number of an iteration whose agent was not started is used again.
  const next = open === undefined ? state.iterations + 1 : open.pid === undefined ? open.iteration : open.iteration + 1;
  const starts = `starts iteration ${next} on the files as they are now`;
  return open?.pid === undefined ? starts : `ends what is left of the agent, and ${starts}`;
}

function isUncountedEnd(state: RunState): boolean {
  return endOf(state)?.reasons.some(({ path }) => path === UNCOUNTED_PATH) === true;
}

/** There are two ways: undo the change and resume, or keep it and start a new run. */
export function canUndo(state: RunState): boolean {
  return hasBrokenGuard(state) && state.spec?.worktree === undefined;
}
