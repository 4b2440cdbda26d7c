import type { ExplainedRecord } from '../../app/explain-run.js';
import { endInFleet, fleetCommands, fleetMarkOf, keptLines } from '../../app/fleet-records.js';
import { isWorktreeGone } from '../../app/worktree-gone.js';
import { hasEnded } from '../../model/phase.js';
import { nextCommands } from '../../words/next-steps.js';
import { nextRows, stepRows } from './end-report.js';
import { explanationLines } from './explanation-lines.js';
import { labelledRows } from './labelled-rows.js';
import { titleLine } from './status-lines.js';
import type { TextContext } from './text-context.js';

/** `place`: what a suggested command needs to find the run; undefined where none can. */
export function explainedLines(explained: ExplainedRecord, context: TextContext, place?: string): readonly string[] {
  const { run, record, explanation, summary, isPast, status, stale } = explained;
  const { terminal } = context;
  const state = isPast ? undefined : record.state;
  const isInterrupted = !isPast && stale === undefined && status === 'interrupted';
  const named = { explanation, summary, isLive: !explanation.stop, isInterrupted, state };
  const next = isPast || place === undefined ? [] : nextOf(explained, place, context);
  return [
    titleLine(run, record.state, terminal),
    ...explanationLines(named, terminal),
    ...keptLines(fleetMarkOf(run, context.environment)),
    ...(next.length === 0 ? [] : ['', ...labelledRows([['next', ...next]], terminal)]),
  ];
}

/** The same as in the report on the end of the run, or in its status. */
function nextOf({ run, record, stale, isLive }: ExplainedRecord, place: string, context: TextContext) {
  const { runId, folder } = run;
  const { state, isDamaged } = record;
  if (hasEnded(state)) {
    const about = { isWorktreeGone: isWorktreeGone(run), ...endInFleet(run, context.environment) };
    return nextRows({ runId, state, folder, place, isDamaged, ...about }, context);
  }
  if (isDamaged || stale !== undefined) return [];
  const isOfFleet = fleetMarkOf(run, context.environment) !== undefined;
  const commands = isOfFleet
    ? fleetCommands(runId, state, isLive)
    : nextCommands(runId, state, isLive, context.now(), place);
  return stepRows(commands, state);
}
