import type { RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../model/run-state.js';
import type { RunResult } from '../../run/run-handle.js';
import { endReport } from '../terminal/end-report.js';
import { eventLines } from '../terminal/event-lines.js';
import { policyLines } from '../terminal/policy-lines.js';
import { lossyLines } from './lossy-lines.js';
import { isAnswered } from './run-signals.js';
import type { CommandContext } from './command-context.js';

/** A view that may break. */
export interface FragileView {
  readonly onEvent: (event: RunEvent, state: RunState) => void;
  readonly end: (result: RunResult) => void;
  readonly close?: (() => void) | undefined;
}

export interface LinesViewOptions {
  /** The run folder, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find the run from here. */
  readonly place: string;
}

/** Plain lines; what is passed over is known to have happened and is not shown. */
export interface LinesView extends FragileView {
  readonly passOver: (event: RunEvent, after: RunState) => void;
}

export function linesView(options: LinesViewOptions, context: CommandContext): LinesView {
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
export function sayEnd(
  { runId, state, error }: RunResult,
  { folder, place }: LinesViewOptions,
  context: CommandContext,
): void {
  for (const line of endReport({ runId, state, error, folder, place }, context)) context.terminal.say(line);
}
