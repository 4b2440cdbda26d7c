import { endOf } from '../../../model/phase.js';
import { messageOf } from '../../../model/errors.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';
import { plural } from '../../../model/figures.js';
import type { RunEvent, EventType } from '../../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../../model/run-state.js';
import type { RunResult } from '../../../run/run-handle.js';
import { endReport } from '../../text/end-report.js';
import { eventLines, isAnswered } from '../../text/event-lines.js';
import { policyLines } from '../../text/policy-lines.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import type { LiveRecord } from '../../text/live-record.js';
import type { LiveTerminal } from '../../text/live-terminal.js';
import type { LiveView } from '../../tui/live-view.js';

/** A reader of events that is this far behind is stuck: they are in the journal, and memory is not for them. */
const MOST_WAITING_JSON_BYTES = 64 * 1024 * 1024;

export interface RunViewOptions extends LinesViewOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** For a run that is not a loop: its own lines, and its own report. */
  readonly own?: (LinesView & { readonly sayEnd: FragileView['end'] }) | undefined;
  /** Where it can be shown live, and how its keys reach the run. */
  readonly live?: LiveDoor | undefined;
}

/** What is shown of a run while it continues. It may end before the run does. */
export interface RunView extends FragileView {
  /** No one is there any more. */
  readonly close: () => void;
}

export function createRunView(options: RunViewOptions, context: CommandContext): RunView {
  const { json, quiet, live } = options;
  const { terminal } = context;
  if (json) return guarded(jsonView(options, terminal), terminal);
  if (quiet) return guarded(quietView(options, context), terminal);
  const lines = options.own ?? linesView(options, context);
  return guarded(live === undefined ? lines : liveRunView(lines, live, context), terminal);
}

/** A view that breaks says so and ends; the run continues. */
function guarded(view: FragileView, terminal: Terminal): RunView {
  let isOpen = true;
  const show = (part: () => void) => {
    if (!isOpen || terminal.outlet?.isClosed() === true) return;
    try {
      part();
    } catch (error) {
      isOpen = false;
      terminal.note(`pawl: the view ends, the run continues: ${printable(messageOf(error))}`);
    }
  };
  return {
    onEvent: (event, state) => show(() => view.onEvent(event, state)),
    end: (result) => show(() => view.end(result)),
    close: () => {
      isOpen = false;
      view.close?.();
    },
  };
}

function quietView(options: RunViewOptions, context: CommandContext): FragileView {
  const { own } = options;
  return {
    onEvent: (event, after) => own?.passOver(event, after),
    end: own?.sayEnd ?? ((result) => sayEnd(result, options, context)),
  };
}

function jsonView({ folder }: RunViewOptions, terminal: Terminal): FragileView {
  return {
    onEvent(event) {
      if ((terminal.outlet?.backlogBytes() ?? 0) > MOST_WAITING_JSON_BYTES) {
        throw new Error(`the reader of the events is too slow; they are all in ${folder}/journal.jsonl`);
      }
      terminal.raw(`${jsonText(event)}\n`);
    },
    end: ({ error, state }) => {
      // It could not even be recorded that the run broke.
      if (error !== undefined && endOf(state)?.error === undefined) terminal.note(`pawl: ${printable(error)}`);
    },
  };
}

const MOST_WAITING_BYTES = 1024 * 1024;

/** Lines for a reader who may be slow: those that would have to wait in memory are left out, and counted. */
export function lossyLines(terminal: Terminal): { readonly say: (line: string) => void; readonly flush: () => void } {
  let missed = 0;
  const flush = () => {
    if (missed > 0) terminal.say(`[${plural(missed, 'line')} not shown]`);
    missed = 0;
  };
  return {
    say(line) {
      if ((terminal.outlet?.backlogBytes() ?? 0) > MOST_WAITING_BYTES) {
        missed += 1;
        return;
      }
      flush();
      terminal.say(line);
    },
    flush,
  };
}

/** A view that may break. */
export interface FragileView {
  readonly onEvent: (event: RunEvent, state: RunState) => void;
  readonly end: (result: RunResult) => void;
  readonly close?: (() => void) | undefined;
}

interface LinesViewOptions {
  /** The run folder, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find the run from here. */
  readonly place: string;
}

/** Plain lines; what is passed over is known to have happened and is not shown. */
export interface LinesView extends FragileView {
  readonly passOver: (event: RunEvent, after: RunState) => void;
}

function linesView(options: LinesViewOptions, context: CommandContext): LinesView {
  const { environment, terminal } = context;
  const lines = lossyLines(terminal);
  let before = INITIAL_STATE;
  let hasBegun = false;
  return {
    onEvent(event, after) {
      if (event.type === 'run-started' || event.type === 'run-resumed') {
        const { runId, kind, spec, policy } = after;
        const header = spec === undefined ? [] : policyLines({ runId, kind, spec, policy, environment }, terminal);
        for (const line of header) lines.say(line);
        hasBegun = true;
      }
      // Limits that a resume raises are part of the policy that it shows.
      const shown = hasBegun && !isAnswered(event) ? eventLines(event, { before, after }, terminal) : [];
      for (const line of shown) lines.say(line);
      before = after;
    },
    passOver: (_event, after) => (before = after),
    end(result) {
      lines.flush();
      terminal.say();
      sayEnd(result, options, context);
    },
  };
}

/** How the run ended. */
function sayEnd(
  { runId, state, error }: RunResult,
  { folder, place }: LinesViewOptions,
  context: CommandContext,
): void {
  for (const line of endReport({ runId, state, error, folder, place }, context)) context.terminal.say(line);
}

/** Where nothing happens before, such as in a long baseline. */
const LATEST_OPENING_MS = 1000;

/** Opened when an agent works, or someone has to do something. */
const OPENS_AT: ReadonlySet<EventType> = new Set([
  'agent-spawned',
  'attempt-started',
  'waiting-started',
  'paused',
] satisfies EventType[]);

/** Where a run can be shown live, and how its keys reach it. */
export interface LiveDoor extends LiveTerminal {
  readonly send: (command: LoopCommand) => Promise<unknown>;
  /** What was recorded before this process continued with it. */
  readonly seen?: LiveRecord | undefined;
}

interface Told {
  readonly event: RunEvent;
  readonly after: RunState;
  readonly isShown: boolean;
}

/** Begins as plain lines, becomes the live view, and ends as plain lines; also when the live view breaks. */
function liveRunView(lines: LinesView, live: LiveDoor, { now, terminal }: CommandContext): FragileView {
  let stage: 'before' | 'loading' | 'live' | 'over' = 'before';
  let view: LiveView | undefined;
  /** What the live view has yet to be told. */
  let told: Told[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** From the first event on: an agent that tells much at once leaves no time to load anything. */
  let loading: Promise<{ readonly LiveView: typeof LiveView }> | undefined;
  const load = () => (loading ??= import('../../tui/live-view.js'));
  const giveUp = (error: unknown) => {
    stage = 'over';
    terminal.note(`pawl: the live view ends, the run continues: ${printable(messageOf(error))}`);
    showUntold();
  };
  const showUntold = () => {
    for (const { event, after, isShown } of told) if (!isShown) lines.onEvent(event, after);
    told = [];
  };
  const open = async () => {
    if (stage !== 'before') return;
    stage = 'loading';
    const { LiveView } = await load();
    if (!isLoading()) return;
    stage = 'live';
    const onInterrupt = () => process.kill(process.pid, 'SIGINT');
    const { send, seen } = live;
    view = new LiveView({ terminal, now, live, send, seen, onInterrupt, onBroken: giveUp });
    for (const { event, after, isShown } of told) view.onEvent(event, after, isShown);
    told = [];
    view.open();
  };
  const isLoading = () => stage === 'loading';
  const begin = () => void open().catch(giveUp);
  return {
    onEvent(event, after) {
      timer ??= setTimeout(begin, LATEST_OPENING_MS);
      load().catch(() => undefined);
      if (stage === 'over') return lines.onEvent(event, after);
      // The heads of iterations have no place above a view that shows the iteration.
      const isShown = stage === 'before' && event.type !== 'iteration-started';
      if (isShown) lines.onEvent(event, after);
      else lines.passOver(event, after);
      if (stage === 'live') view?.onEvent(event, after);
      else told.push({ event, after, isShown });
      if (OPENS_AT.has(event.type)) begin();
      return undefined;
    },
    end(result) {
      this.close?.();
      lines.end(result);
    },
    close() {
      clearTimeout(timer);
      stage = 'over';
      view?.close();
      showUntold();
    },
  };
}
