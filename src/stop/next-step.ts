import { openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { hasBrokenGuard } from './precondition.js';

/** A command that makes sense now, and what it is for. */
export interface NextStep {
  readonly command: string;
  /** `review`, `undo`; undefined where the command says it itself. */
  readonly label?: string | undefined;
  /** What it does, where that is not clear: `all files, as before the first iteration`. */
  readonly about?: string | undefined;
}

const LABELS: readonly (readonly [RegExp, string])[] = [
  [/^pawl diff /, 'review'],
  [/^pawl restore /, 'undo'],
  [/^pawl resume /, 'continue'],
  [/^pawl run(?: |$)/, 'or keep'],
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
  if (to !== undefined) return `all files, as ${to === '0' ? 'before the first iteration' : `after iteration ${to}`}`;
  if (/^pawl run(?: |$)/.test(command)) return 'keeps the change and starts a new run';
  const isResume = command.startsWith('pawl resume ');
  if (isResume && canUndo(state)) return 'after the undo: Pawl refuses while protected files are changed';
  const open = openIteration(state);
  if (open === undefined) return undefined;
  if (command.startsWith('pawl diff ')) return `up to iteration ${state.iterations}`;
  if (!isResume) return undefined;
  // The number of an iteration whose agent was not started is used again.
  const next = open.pid === undefined ? open.iteration : open.iteration + 1;
  return `starts iteration ${next} on the files as they are now`;
}

/** There are two ways: undo the change and resume, or keep it and start a new run. */
export function canUndo(state: RunState): boolean {
  return hasBrokenGuard(state) && state.spec?.worktree === undefined;
}
