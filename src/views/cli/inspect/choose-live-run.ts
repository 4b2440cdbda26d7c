import { loopStateOf, openIteration } from '../../../model/phase.js';
import { type ListedRun, listRuns, locateRun } from '../../../journal/list-runs.js';
import type { LiveTerminal } from '../../text/live-terminal.js';
import { pickLine } from '../../tui/pick-line.js';
import { plural } from '../../../model/figures.js';
import { agoText } from '../../../words/clock-text.js';
import { doneText } from '../../../words/attempt-text.js';
import { printable } from '../../../words/printable.js';
import { shortIds } from '../../../words/short-id.js';
import { shownPath } from '../../../app/shown-path.js';
import type { CommandContext } from '../command-context.js';

/** The run that is meant: the only live one, one that is chosen, or the latest. Undefined: they are listed instead. */
export async function chooseLiveRun(
  workingDir: string,
  reference: string | undefined,
  live: LiveTerminal | undefined,
  context: CommandContext,
): Promise<ListedRun | undefined> {
  const { terminal } = context;
  if (reference !== undefined) return locateRun(workingDir, reference, context.environment);
  const runs = listRuns(workingDir, context.environment).filter(({ holder }) => holder !== undefined);
  const [only, ...others] = runs;
  if (only === undefined) return locateRun(workingDir, undefined, context.environment);
  if (others.length === 0) return only;
  const lines = linesOf(runs, context);
  if (live?.input !== undefined) {
    const { output, input } = live;
    const picked = await pickLine(
      { title: `${plural(runs.length, 'run')} are live`, lines },
      { output, input },
      terminal,
    );
    return picked === undefined ? undefined : runs[picked];
  }
  for (const line of lines) terminal.say(line);
  terminal.note('pawl: several runs are live here: choose the one to watch');
  return undefined;
}

function linesOf(runs: readonly ListedRun[], context: CommandContext): readonly string[] {
  const short = shortIds(runs.map(({ runId }) => runId));
  return runs.map(({ runId, snapshot, workingDir }) => {
    const { phase, iterations = 0, startedAt, agent, spec, pipeline } = snapshot?.state ?? {};
    const open = phase && openIteration({ phase });
    const parts = [
      short(runId),
      phase === undefined ? 'beginning' : loopStateOf({ phase }),
      pipeline === undefined ? `iteration ${open?.iteration ?? iterations + 1}` : doneText(pipeline),
      agent?.name,
      `started ${agoText(startedAt, context.now())}`,
      spec?.worktree === undefined ? shownPath(workingDir, context.cwd) : `on ${spec.worktree.branch}`,
    ];
    return printable(parts.filter((part) => part !== undefined).join('  '));
  });
}
