import { setTimeout as pause } from 'node:timers/promises';
import { Launched } from '../launched.js';
import { pidsOf } from '../marked-processes.js';
import { type Cannot, isCannot, type Runner, type RunRequest } from '../runner.js';
import { quickest, type ScratchRun, until, whyNot, withRun } from '../scratch-run.js';
import type { Scratch } from '../scratch.js';
import type { Cell, Table } from '../table.js';

const CAP = 5;
const KILLED_IN = 3;
/** Long enough for the slowest start on a busy machine to fall into it. */
const ORPHAN_SECONDS = 60;
const LIMIT = { limitMs: 150_000 } as const;

type Cells = Record<string, Cell>;

/** By the pid that each wrote down itself: a moment between fork and exec is not a second agent. */
function livingAgents(scratch: Scratch): number {
  const alive = pidsOf('agent', scratch.mark);
  return scratch.starts().filter(({ pid }) => alive.includes(pid)).length;
}

async function killed(runner: Runner, request: RunRequest, run: ScratchRun): Promise<Cells | Cannot> {
  const { scratch, launched } = run;
  const agents = () => livingAgents(scratch);
  const isThere = () => scratch.starts().length === KILLED_IN && agents() > 0;
  if (!(await until(() => isThere() || launched.exitCode !== undefined, 60_000)) || !isThere()) return whyNot(run);
  await pause(300);
  launched.signal('SIGKILL');
  await launched.exited;
  await pause(300);
  const kept = keptOf(runner, scratch.project);
  const outlives = agents() > 0;
  const command = runner.resume(scratch.project, request);
  if (isCannot(command)) return command;
  const again = new Launched(scratch, command);
  await again.within(90_000);
  return {
    outlives,
    kept,
    twoAtOnce: scratch.overlaps().length > 0,
    started: scratch.starts().length,
    exit: again.exitCode ?? 'still runs',
  };
}

/** What its record on disk calls finished; a record that was torn is not the end of the bench. */
function keptOf(runner: Runner, project: string): string {
  try {
    const finished = runner.finished(project);
    return finished === undefined ? 'no record' : `${Math.min(finished, KILLED_IN - 1)} of ${KILLED_IN - 1}`;
  } catch {
    return 'unreadable';
  }
}

/** kill -9 in the third of five iterations, and then what a person types to go on. */
export async function measureKill(runners: readonly Runner[]): Promise<Table> {
  const rows = [];
  for (const runner of runners) {
    const request = quickest(runner, CAP);
    const deed = { kind: 'hang-at', start: KILLED_IN, seconds: ORPHAN_SECONDS } as const;
    const cells = await withRun(runner, request, deed, (run) => killed(runner, request, run), LIMIT);
    rows.push({ runner: runner.id, cells: isCannot(cells) ? { outlives: cells } : cells });
  }
  return {
    id: 'kill',
    title: 'kill -9 of the runner',
    about:
      `In iteration ${KILLED_IN} of at most ${CAP}, while the agent works; half a second later the runner is resumed, or ` +
      `started again where it has no resume. The cap holds when ${CAP} agents, or ${CAP + 1} with the interrupted one ` +
      'repeated, were started in total. The iterations before took milliseconds: a record that is written once a second is ' +
      'not written yet.',
    columns: [
      { id: 'outlives', title: 'the agent outlives it', unit: 'yes-no' },
      { id: 'kept', title: 'finished iterations on record', unit: 'text' },
      { id: 'twoAtOnce', title: 'two agents at once', unit: 'yes-no' },
      { id: 'started', title: `agents started, cap ${CAP}`, unit: 'count' },
      { id: 'exit', title: 'exit code', unit: 'count' },
    ],
    rows,
  };
}
