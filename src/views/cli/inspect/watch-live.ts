import { findHolders } from '../../../journal/find-holders.js';
import type { ListedRun } from '../../../journal/list-runs.js';
import { tailJournal } from '../../../journal/tail-journal.js';
import { messageOf } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { reduce } from '../../../model/reduce.js';
import { hasEnded } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { insideRun } from '../../../setup/inside-run.js';
import { plural } from '../../../model/figures.js';
import { finishedLines } from '../../text/finished-lines.js';
import type { LiveTerminal } from '../../text/live-terminal.js';
import { LiveView } from '../../tui/live-view.js';
import { endReport } from '../../text/end-report.js';
import { itemsOf } from '../../../words/item-figures.js';
import { oneLine, printable } from '../../../words/printable.js';
import { reduceItems } from '../../../model/shown-items.js';
import { shortId } from '../../../words/short-id.js';
import { shownPath } from '../../../app/shown-path.js';
import { shownRecord } from '../../../app/shown-record.js';
import { endInFleet, fleetMarkOf } from '../../../app/fleet-records.js';
import { exitCodeOfRecord, readRecord, type RunRecord } from '../../../app/read-record.js';
import { sendToRun } from '../../../app/send-to-run.js';
import { type Terminal, unblockTerminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';

/** Of what was before. */
const MOST_EARLIER_LINES = 12;
const LOOK_MS = 2000;
const LEAVING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface WatchSetting {
  readonly workingDir: string;
  /** What a command needs to find the run from here. */
  readonly place: string;
  readonly live: LiveTerminal;
}

/** Attaches a live view to a run until the run ends or someone leaves. */
export async function watchLive(run: ListedRun, setting: WatchSetting, context: CommandContext): Promise<ExitCode> {
  const { environment, terminal } = context;
  const { live, place, workingDir } = setting;
  const isOfFleet = fleetMarkOf(run, environment) !== undefined;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  let broken: unknown;
  unblockTerminal(context.stdout, context.stderr);
  const view = new LiveView({
    terminal,
    now: context.now,
    live,
    send: (command) => sendToRun(workingDir, run.runId, command, `pawl watch (pid ${process.pid})`, context),
    onInterrupt: leave,
    onLeave: leave,
    // The agent inherits the name of its iteration: it does not approve its own. The fleet has commands of its own.
    isReadOnly: isOfFleet || insideRun(environment).isInside(run.runId),
    onBroken: (error) => {
      broken = error;
      leave();
    },
    isOfFleet,
  });
  const earlier = createEarlierLines();
  const record = await readRecord(run, (event, before, after) => {
    view.onEvent(event, after, true);
    earlier.add(finishedLines(event, { before, after, isOfFleet }, terminal));
  });
  sayEarlier(run, record.state, earlier, context);
  if (isOfFleet && !hasEnded(record.state)) {
    const id = shortId(run.runId);
    terminal.note(`q leaves; to steer it: pawl fleet pause|unpause|cancel|approve|steer|reject ${id}`);
  }
  const damage = exitCodeOfRecord(record, terminal);
  if (record.isDamaged) return damage;
  const { state, items } = hasEnded(record.state)
    ? record
    : await follow(run, record, { view, leaving, terminal }, environment);
  if (broken !== undefined) {
    terminal.note(`pawl: the view ends, the run continues: ${printable(messageOf(broken))}`);
    return EXIT_CODES.error;
  }
  const ended = {
    runId: run.runId,
    state,
    items,
    folder: shownRecord(run, context.cwd),
    place,
    ...endInFleet(run, environment),
  };
  if (hasEnded(state)) for (const line of ['', ...endReport(ended, context)]) terminal.say(line);
  else terminal.note(`left; pawl watch ${shortId(run.runId)}${place} shows it again`);
  return EXIT_CODES.goal;
}

interface Following {
  readonly view: LiveView;
  readonly leaving: AbortController;
  readonly terminal: Terminal;
}

type Seen = Pick<RunRecord, 'state' | 'items'>;

async function follow(
  run: ListedRun,
  from: Seen,
  { view, leaving, terminal }: Following,
  environment: Environment,
): Promise<Seen> {
  let { state, items } = from;
  const { signal } = leaving;
  const leave = () => leaving.abort();
  const look = () => {
    view.setLive(isHeld(run, environment));
    if (terminal.outlet?.isClosed() === true) leave();
  };
  const looking = setInterval(look, LOOK_MS);
  for (const name of LEAVING) process.on(name, leave);
  view.open();
  look();
  try {
    for await (const event of tailJournal(run.journalPath, { fromSeq: state.seq + 1, signal })) {
      state = reduce(state, event);
      items = reduceItems(items, event);
      view.onEvent(event, state);
      if (event.type === 'run-ended') break;
    }
  } finally {
    clearInterval(looking);
    for (const name of LEAVING) process.off(name, leave);
    view.close();
  }
  return { state, items };
}

function isHeld({ workingDir, runId }: ListedRun, environment: Environment): boolean {
  try {
    return findHolders(workingDir, environment).some((holder) => holder.runId === runId);
  } catch {
    return false;
  }
}

/** The last of many lines, and how many there were. */
function createEarlierLines() {
  const kept: string[] = [];
  let left = 0;
  return {
    add(lines: readonly string[]): void {
      kept.push(...lines);
      left += kept.splice(0, Math.max(0, kept.length - MOST_EARLIER_LINES)).length;
    },
    lines: () => kept,
    left: () => left,
  };
}

function sayEarlier(
  { runId, workingDir }: ListedRun,
  { agent, spec, pipeline }: RunState,
  earlier: ReturnType<typeof createEarlierLines>,
  context: CommandContext,
): void {
  const { terminal } = context;
  const model = agent?.model === undefined ? '' : ` with ${agent.model}`;
  const place = spec?.worktree === undefined ? shownPath(workingDir, context.cwd) : `on ${spec.worktree.branch}`;
  const what = pipeline === undefined ? '' : `${plural(itemsOf(pipeline).items, 'item')}, `;
  const title = `run ${runId}: ${what}${agent?.name ?? 'beginning'}${model}${place === '.' ? '' : `, ${place}`}`;
  terminal.say(terminal.style('bold', oneLine(title, terminal.columns)));
  const left = earlier.left();
  if (left > 0) terminal.say(terminal.style('dim', `[${plural(left, 'earlier line')}: pawl show ${runId}]`));
  for (const line of earlier.lines()) terminal.say(line);
}
