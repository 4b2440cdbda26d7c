import { INITIAL_STATE } from '../../../model/run-state.js';
import type { RunResult } from '../../../run/history.js';
import { finishedLines } from '../../text/finished-lines.js';
import { endReport } from '../../text/end-report.js';
import { reduceItems, NO_ITEMS, type ShownItems } from '../../../model/shown-items.js';
import { type LinesView, lossyLines } from './run-view.js';
import { pipelineHeader } from './pipeline-plan-lines.js';
import type { CommandContext } from '../command-context.js';

export interface PipelineViewOptions {
  /** The run folder, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find the run from here. */
  readonly place: string;
  readonly json: boolean;
  /** What was recorded of the items before this process continued with them. */
  readonly seen?: ShownItems | undefined;
}

export interface PipelineView extends LinesView {
  readonly sayEnd: (result: RunResult) => void;
}

/** Plain lines: what is done, one line per item and per attempt that was not approved. */
export function pipelineView(options: PipelineViewOptions, context: CommandContext): PipelineView {
  const { terminal } = context;
  const { folder, place } = options;
  const lines = lossyLines(terminal);
  let before = INITIAL_STATE;
  let items = options.seen ?? NO_ITEMS;
  const sayEnd = ({ runId, state, error }: RunResult) => {
    for (const line of endReport({ runId, state, items, error, folder, place }, context)) terminal.say(line);
  };
  return {
    onEvent(event, after) {
      items = reduceItems(items, event);
      const header = event.type === 'run-started' ? [...pipelineHeader(after, terminal), ''] : [];
      for (const line of [...header, ...finishedLines(event, { before, after }, terminal)]) lines.say(line);
      before = after;
    },
    passOver(event, after) {
      items = reduceItems(items, event);
      before = after;
    },
    end(result) {
      lines.flush();
      terminal.say();
      sayEnd(result);
    },
    sayEnd,
  };
}
