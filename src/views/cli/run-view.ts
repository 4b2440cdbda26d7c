import { endOf } from '../../model/phase.js';
import { messageOf } from '../../model/errors.js';
import { jsonText } from '../terminal/json-text.js';
import { printable } from '../terminal/printable.js';
import { type FragileView, type LinesView, type LinesViewOptions, linesView, sayEnd } from './lines-view.js';
import { type LiveDoor, liveRunView } from './live-run-view.js';
import type { Terminal } from './terminal.js';
import type { CommandContext } from './command-context.js';

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

/** What is shown of a run while it goes on. It may end before the run does. */
export interface RunView extends FragileView {
  /** Nobody is there any more. */
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

/** A view that breaks says so and ends; the run goes on. */
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
        throw new Error(`nobody reads the events; they are in ${folder}/journal.jsonl`);
      }
      terminal.raw(`${jsonText(event)}\n`);
    },
    end: ({ error, state }) => {
      // It could not even be recorded that the run broke.
      if (error !== undefined && endOf(state)?.error === undefined) terminal.note(`pawl: ${printable(error)}`);
    },
  };
}
