import { messageOf } from '../../model/errors.js';
import type { RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../model/run-state.js';
import type { RunResult } from '../../run/run-handle.js';
import { endReport } from '../terminal/end-report.js';
import { eventLines } from '../terminal/event-lines.js';
import { policyLines } from '../terminal/policy-lines.js';
import { printable } from '../terminal/printable.js';
import { lossyLines } from './lossy-lines.js';
import { isAnswered } from './run-signals.js';
import type { Terminal } from './terminal.js';

/** A reader of events that is this far behind is stuck: they are in the journal, and memory is not for them. */
const MOST_WAITING_JSON_BYTES = 64 * 1024 * 1024;

export interface RunViewOptions {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The run folder, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find the run from here. */
  readonly place: string;
}

/** What is shown of a run while it goes on. It may end before the run does. */
export interface RunView {
  readonly onEvent: (event: RunEvent, state: RunState) => void;
  readonly end: (result: RunResult) => void;
  /** Nobody is there any more. */
  readonly close: () => void;
}

export function createRunView(options: RunViewOptions): RunView {
  const view = options.json ? jsonView(options) : options.quiet ? quietView(options) : linesView(options);
  return guarded(view, options.terminal);
}

/** A view that breaks says so and ends; the run goes on. */
function guarded(view: Omit<RunView, 'close'>, terminal: Terminal): RunView {
  let isOpen = true;
  const show = (part: () => void) => {
    if (!isOpen || terminal.outlet?.isClosed() === true) return;
    try {
      part();
    } catch (error) {
      isOpen = false;
      terminal.note(`pawl: the view ends, the run goes on: ${printable(messageOf(error))}`);
    }
  };
  return {
    onEvent: (event, state) => show(() => view.onEvent(event, state)),
    end: (result) => show(() => view.end(result)),
    close: () => (isOpen = false),
  };
}

function linesView(options: RunViewOptions): Omit<RunView, 'close'> {
  const { terminal, environment } = options;
  const lines = lossyLines(terminal);
  let before = INITIAL_STATE;
  let hasBegun = false;
  return {
    onEvent(event, after) {
      if (event.type === 'run-started' || event.type === 'run-resumed') {
        const { runId, spec, policy } = after;
        const header = spec === undefined ? [] : policyLines({ runId, spec, policy, environment }, terminal);
        for (const line of header) lines.say(line);
        hasBegun = true;
      }
      // Limits that a resume raises are part of the policy that it shows.
      const shown = hasBegun && !isAnswered(event) ? eventLines(event, { before, after }, terminal) : [];
      for (const line of shown) lines.say(line);
      before = after;
    },
    end(result) {
      lines.flush();
      terminal.say();
      report(result, options);
    },
  };
}

function quietView(options: RunViewOptions): Omit<RunView, 'close'> {
  return { onEvent: () => undefined, end: (result) => report(result, options) };
}

function report({ runId, state, error }: RunResult, { terminal, folder, place }: RunViewOptions): void {
  for (const line of endReport({ runId, state, error, folder, place }, terminal)) terminal.say(line);
}

function jsonView({ terminal, folder }: RunViewOptions): Omit<RunView, 'close'> {
  return {
    onEvent(event) {
      if ((terminal.outlet?.backlogBytes() ?? 0) > MOST_WAITING_JSON_BYTES) {
        throw new Error(`nobody reads the events; they are in ${folder}/journal.jsonl`);
      }
      terminal.raw(`${JSON.stringify(event)}\n`);
    },
    end: ({ error, state }) => {
      // It could not even be recorded that the run broke.
      if (error !== undefined && state.ended?.error === undefined) terminal.note(`pawl: ${printable(error)}`);
    },
  };
}
