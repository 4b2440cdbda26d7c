import { hasEnded } from '../model/phase.js';
import type { StopCondition } from '../model/condition.js';
import { itemAt } from '../model/item-state.js';
import { openAttempts } from '../model/pipeline-state.js';
import type { NewEvent } from '../model/run-event.js';
import type { Verdict } from '../model/verdict.js';
import { checkCrashes, reapRun, reapRuns } from '../run/after-crash.js';
import { startedEvent } from '../run/prepare.js';
import type { LivePipeline } from './live-pipeline.js';
import type { PipelineParts } from './pipeline-parts.js';
import type { PipelinePlan } from './pipeline-plan.js';

/** What an operator wants changed before a run continues. */
export interface ResumeWishes {
  /** Limits in place of those of the same type. */
  readonly raise?: readonly StopCondition[] | undefined;
  /** Recorded when the run continues: another manifest, items that are wanted again. */
  readonly events?: readonly NewEvent[] | undefined;
}

/** Brings a record to where the scheduler can continue: a new one begins, one that ended is resumed, a crash is cleared up. */
export async function preparePipeline(
  live: LivePipeline,
  parts: PipelineParts,
  wishes: ResumeWishes,
  onRunning: () => void,
): Promise<void> {
  const { run, plan } = parts;
  await reapRuns(run.deadRuns ?? []);
  let halting: Verdict | undefined;
  const { state } = live;
  if (state.seq === 0) live.record(startedEvent({ ...run, spec: plan.spec }, beginning(plan)));
  else if (hasEnded(state)) {
    resume(live, 'operator', wishes);
    endOpenAttempts(live);
  } else {
    const agoMs = state.at === undefined ? undefined : run.now() - Date.parse(state.at);
    await reapRun(run.runId, hasOpenAttempt(live) ? { agoMs } : undefined);
    resume(live, 'crash', wishes);
    // It was about to end; an operator who raises a limit or changes the manifest wants it judged again.
    const isAsItWas = (wishes.raise ?? []).length === 0 && (wishes.events ?? []).length === 0;
    halting = isAsItWas && state.verdict?.stop === true ? state.verdict : undefined;
    endOpenAttempts(live);
  }
  live.core.checkRecord();
  await live.core.watchSpend();
  onRunning();
  await live.prepare(halting);
}

function beginning({ items, pipeline }: PipelinePlan) {
  return { kind: 'pipeline', items: items.length, pipeline } as const;
}

function resume(live: LivePipeline, cause: 'crash' | 'operator', { raise = [], events = [] }: ResumeWishes): void {
  live.record({ type: 'run-resumed', cause });
  for (const event of wishedEvents({ raise, events })) live.record(event);
  checkCrashes(live.state, 'an attempt');
}

/** What is recorded of an operator's wishes: a limit holds over what another manifest says. */
export function wishedEvents({ raise = [], events = [] }: ResumeWishes): readonly NewEvent[] {
  return [...events, ...raise.map((limit): NewEvent => ({ type: 'limit-extended', limit, by: 'resume' }))];
}

function hasOpenAttempt({ state }: LivePipeline): boolean {
  return state.pipeline !== undefined && openAttempts(state.pipeline) > 0;
}

/** An attempt that a crash or a broken record cut short is made again under its number. What it spent stays spent. */
function endOpenAttempts(live: LivePipeline): void {
  const { open = {}, states } = live.state.pipeline ?? {};
  for (const index of Object.keys(open).map(Number)) {
    const { item = '', attempts = [] } = itemAt(states, index) ?? {};
    const attempt = attempts.length + 1;
    live.record({ type: 'attempt-ended', item, index, attempt, outcome: 'interrupted', durationMs: 0 });
  }
}
