import { type AttemptSummary, eachItem, type ItemState, itemAt, withItem } from './item-state.js';
import { type Iterating, refusalsOf, refusedIn, withRefused } from './phase.js';
import type { Reducers } from './reducers.js';
import { type PipelineRates, ratesOf } from './pipeline-counts.js';
import type { AttemptOutcome, EventOf } from './run-event.js';
import type { PipelineState } from './pipeline-state.js';
import type { RunState } from './run-state.js';
import { beginIteration, endIteration } from './report-spend.js';
import { isRefusal, refusedAfterAttempt } from './wait-policy.js';
import { endAuditLane, endLane, laneOf } from './spend-lanes.js';

export const NEW_PIPELINE: PipelineState = Object.freeze({
  items: 0,
  approved: 0,
  rejected: 0,
  failed: 0,
  withRetries: 0,
  attempts: 0,
  consecutiveFails: 0,
});

/** A record in which an item is tried without end does not grow the state without end. */
const MOST_ATTEMPTS_KEPT = 1000;

/** Counts items with a final status and attempts made. An attempt uses up an iteration. */
export const PIPELINE_REDUCERS = {
  'item-started': inPipeline((pipeline, event) => changed(pipeline, event, (item) => item)),
  'attempt-started': inPipeline(attemptStarted),
  'attempt-ended': attemptEnded,
  'item-ended': inPipeline(itemEnded),
  'item-reopened': inPipeline(reopened),
  'manifest-changed': manifestChanged,
} satisfies Partial<Reducers>;

/** What an event changes of the pipeline alone. */
function inPipeline<E>(next: (pipeline: PipelineState, event: E, state: RunState) => PipelineState) {
  return (state: RunState, event: E): RunState => {
    return { ...state, pipeline: next(state.pipeline ?? NEW_PIPELINE, event, state) };
  };
}

/** Resuming accepts what the operator has seen: the streak of fails starts again, the rates may get no worse. */
export function acceptSeen(pipeline: PipelineState): PipelineState {
  const seen = ratesOf(pipeline);
  return { ...pipeline, consecutiveFails: 0, accepted: seen, seen, atHalt: undefined };
}

/** An operator who retries an item accepts the rates without it, too. */
function acceptedNow(pipeline: PipelineState): PipelineRates {
  const { seen, accepted } = pipeline;
  const before = seen ?? accepted;
  const now = ratesOf(pipeline);
  return {
    retryRate: Math.max(now.retryRate, before?.retryRate ?? 0),
    rejectRate: Math.max(now.rejectRate, before?.rejectRate ?? 0),
  };
}

/** Keeps the figures of the moment in which a run is halted. */
export function withHalt(pipeline: PipelineState): PipelineState {
  const { approved, rejected, failed, withRetries, attempts, consecutiveFails } = pipeline;
  return { ...pipeline, atHalt: { approved, rejected, failed, withRetries, attempts, consecutiveFails } };
}

interface Where {
  readonly item: string;
  readonly index?: number | undefined;
}

/** Only items that the run has are kept: an event with another index changes nothing. */
function changed(
  pipeline: PipelineState,
  { item, index }: Where,
  change: (item: ItemState) => ItemState,
): PipelineState {
  if (index === undefined || !Number.isInteger(index) || index < 0 || index >= pipeline.items) return pipeline;
  const known = itemAt(pipeline.states, index) ?? { item, attempts: [] };
  return { ...pipeline, states: withItem(pipeline.states, index, change(known)) };
}

function attemptEnded(state: RunState, event: EventOf<'attempt-ended'>): RunState {
  const { pipeline = NEW_PIPELINE } = state;
  const { index, agentStarted = true, auditSpendUnknown = false } = event;
  const spend =
    index === undefined
      ? beginIteration(endIteration(state.spend, { agentStarted }))
      : endAuditLane(endLane(state.spend, laneOf(index), agentStarted), index, auditSpendUnknown);
  const after = withoutOpen(
    changed(pipeline, event, (item) => afterAttempt(item, event)),
    index,
  );
  const refused = refusedAfterAttempt(refusedIn(state.phase), pipeline.open?.[String(index)], event);
  const counted = { ...state, phase: withRefused(state.phase, refused), spend };
  // It is tried again and uses nothing up.
  if (isRefusal(event.outcome)) return { ...counted, pipeline: after };
  return {
    ...counted,
    iterations: state.iterations + 1,
    pipeline: { ...after, attempts: pipeline.attempts + 1 },
    streaks: { ...state.streaks, failures: failuresAfter(state.streaks.failures, event.outcome) },
    crashesInARow: event.outcome === 'interrupted' ? state.crashesInARow : 0,
  };
}

function failuresAfter(failures: number, outcome: AttemptOutcome): number {
  if (outcome === 'interrupted') return failures;
  return outcome === 'failed' ? failures + 1 : 0;
}

function attemptStarted(
  pipeline: PipelineState,
  event: EventOf<'attempt-started'>,
  { phase }: RunState,
): PipelineState {
  const { index, attempt: iteration, at: startedAt } = event;
  const kept = changed(pipeline, event, (item) => item);
  // An event with the index of no item changes nothing.
  if (kept === pipeline || index === undefined) return pipeline;
  const refusals = refusalsOf(refusedIn(phase));
  const open: Iterating = { name: 'iterating', iteration, try: 1, startedAt, refusals };
  return { ...kept, open: { ...pipeline.open, [index]: open } };
}

function withoutOpen(pipeline: PipelineState, index: number | undefined): PipelineState {
  if (pipeline.open?.[String(index)] === undefined) return pipeline;
  const { [String(index)]: _ended, ...open } = pipeline.open;
  return { ...pipeline, open };
}

function afterAttempt({ made: before, ...item }: ItemState, event: EventOf<'attempt-ended'>): ItemState {
  const { outcome, reasons, score, durationMs, message, output, hash, made = before } = event;
  if (outcome === 'interrupted' || isRefusal(outcome)) {
    return { ...item, interrupted: (item.interrupted ?? 0) + 1, ...(made === undefined ? {} : { made }) };
  }
  const attempt: AttemptSummary = { outcome, reasons, score, durationMs };
  const attempts = item.attempts.length < MOST_ATTEMPTS_KEPT ? [...item.attempts, attempt] : item.attempts;
  return { ...item, attempts, hash, feedback: { message, output } };
}

/** Enough to notice that an output has changed; there may be a million of them. */
const HASH_CHARACTERS = 16;

/** An item becomes final once; what would count it again changes nothing. */
function itemEnded(pipeline: PipelineState, event: EventOf<'item-ended'>): PipelineState {
  const { status, attempts, index } = event;
  if (itemAt(pipeline.states, index)?.status !== undefined) return pipeline;
  const kept = changed(pipeline, event, ({ item, attempts: made, interrupted, hash }) => ({
    item,
    status,
    attempts: made,
    interrupted,
    ...(status === 'approved' && hash !== undefined ? { hash: hash.slice(0, HASH_CHARACTERS) } : {}),
    ...(attempts > 1 ? { isRetried: true } : {}),
  }));
  return {
    ...withoutOpen(kept, index),
    [status]: pipeline[status] + 1,
    withRetries: pipeline.withRetries + (attempts > 1 ? 1 : 0),
    consecutiveFails: status === 'approved' ? 0 : pipeline.consecutiveFails + 1,
  };
}

function reopened(pipeline: PipelineState, event: EventOf<'item-reopened'>): PipelineState {
  const known = itemAt(pipeline.states, event.index);
  if (known?.status === undefined) return pipeline;
  const { status } = known;
  const without: PipelineState = {
    ...withoutOpen(
      changed(pipeline, event, ({ item }) => ({ item, attempts: [] })),
      event.index,
    ),
    [status]: pipeline[status] - 1,
    withRetries: pipeline.withRetries - (known.isRetried === true ? 1 : 0),
  };
  return { ...without, accepted: acceptedNow(without) };
}

function manifestChanged(state: RunState, event: EventOf<'manifest-changed'>): RunState {
  const { pipeline = NEW_PIPELINE } = state;
  const withdrawn = new Set(event.withdrawn);
  let { states } = pipeline;
  const isMoved = event.pipeline.generate?.output !== pipeline.spec?.generate?.output;
  for (const [index, { isWithdrawn: before = false, hash, made, ...item }] of eachItem(pipeline.states)) {
    const isWithdrawn = withdrawn.has(index);
    // Where an earlier output is, the new manifest does not say: it is not looked for any more.
    const isForgotten = isMoved && item.status !== undefined && hash !== undefined;
    // What another manifest has made is made again.
    if (isWithdrawn === before && !isForgotten && made === undefined) continue;
    const kept = isForgotten || hash === undefined ? item : { ...item, hash };
    states = withItem(states, index, isWithdrawn ? { ...kept, isWithdrawn } : kept);
  }
  for (const [at, index] of event.withdrawn.entries()) {
    const item = event.withdrawnItems?.[at];
    const isKnown = itemAt(states, index) !== undefined || index >= event.items;
    if (item !== undefined && !isKnown) states = withItem(states, index, { item, attempts: [], isWithdrawn: true });
  }
  const next: PipelineState = {
    ...pipeline,
    items: event.items,
    spec: event.pipeline,
    withdrawn: withdrawn.size,
    states,
  };
  return { ...state, policy: event.policy, spec: event.spec, pipeline: next, seal: event.seal };
}
