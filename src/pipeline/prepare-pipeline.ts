import { reapCrashed } from '../iteration/end-crashed.js';
import type { StopCondition } from '../model/condition.js';
import { PawlError } from '../model/errors.js';
import { eachItem } from '../model/item-state.js';
import { isTerminal } from '../model/loop-state.js';
import type { NewEvent } from '../model/run-event.js';
import type { Verdict } from '../model/verdict.js';
import { VERSION } from '../version.js';
import type { LivePipeline } from './live-pipeline.js';
import type { PipelineParts } from './pipeline-parts.js';

const MOST_CRASHES = 3;

/** What an operator wants changed before a run goes on. */
export interface ResumeWishes {
  /** Limits in place of those of the same type. */
  readonly raise?: readonly StopCondition[] | undefined;
  /** Recorded when the run goes on: another manifest, items that are wanted once more. */
  readonly events?: readonly NewEvent[] | undefined;
}

/** Brings a record to where the scheduler can go on: a new one begins, one that ended is resumed, a crash is cleared up. */
export async function preparePipeline(
  live: LivePipeline,
  parts: PipelineParts,
  wishes: ResumeWishes,
  onRunning: () => void,
): Promise<void> {
  const { runId, deadRuns = [] } = parts.run;
  for (const dead of deadRuns) {
    // oxlint-disable-next-line no-await-in-loop -- there is one at most, or two
    await reap(dead);
  }
  let halting: Verdict | undefined;
  const { state } = live;
  if (state.seq === 0) live.record(beginning(parts));
  else if (isTerminal(state.status)) resume(live, 'operator', wishes);
  else {
    await reap(runId);
    resume(live, 'crash', wishes);
    // It was about to end; an operator who raises a limit or changes the manifest wants it judged anew.
    const isAsItWas = (wishes.raise ?? []).length === 0 && (wishes.events ?? []).length === 0;
    halting = isAsItWas && state.verdict?.stop === true ? state.verdict : undefined;
    endOpenAttempts(live);
  }
  live.watchDay();
  onRunning();
  await live.prepare(halting);
}

function beginning({ run, plan }: PipelineParts): NewEvent {
  const { runId, agent, versions } = run;
  const { spec, pipeline, items } = plan;
  return {
    type: 'run-started',
    runId,
    kind: 'pipeline',
    policy: spec.policy,
    spec,
    agent: { name: agent.name, usage: agent.usage, model: spec.agent.model },
    versions: { pawl: VERSION, node: process.versions.node, ...versions },
    items: items.length,
    pipeline,
  };
}

function resume(live: LivePipeline, cause: 'crash' | 'operator', { raise = [], events = [] }: ResumeWishes): void {
  live.record({ type: 'run-resumed', cause });
  for (const event of wishedEvents({ raise, events })) live.record(event);
  if (live.state.crashesInARow >= MOST_CRASHES) {
    throw new PawlError('InvalidState', `the runner died ${MOST_CRASHES} times in a row without an attempt ended`);
  }
}

/** What is recorded of an operator's wishes: a limit holds over what another manifest says. */
export function wishedEvents({ raise = [], events = [] }: ResumeWishes): readonly NewEvent[] {
  return [...events, ...raise.map((limit): NewEvent => ({ type: 'limit-extended', limit, by: 'resume' }))];
}

/** An attempt that the crash cut short is made again under the same number. What it spent stays spent. */
function endOpenAttempts(live: LivePipeline): void {
  for (const [index, { item, attempts, openTries }] of eachItem(live.state.pipeline?.states)) {
    if (openTries === undefined) continue;
    const attempt = attempts.length + 1;
    live.record({ type: 'attempt-ended', item, index, attempt, outcome: 'interrupted', durationMs: 0 });
  }
}

/** A runner that was killed may have left generators working: nothing is started beside them. */
async function reap(runId: string): Promise<void> {
  const { left } = await reapCrashed(runId, undefined);
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid).join(', ');
  throw new PawlError('InvalidState', `processes of an interrupted run could not be ended: ${pids}`);
}
