import type { LoopState } from '../model/loop-state.js';
import { errorFingerprint } from '../model/error-fingerprint.js';
import { type HistoryRun, historyRun } from '../model/history.js';
import { reduce } from '../model/reduce.js';
import type { RunEvent, WaitingFor } from '../model/run-event.js';
import { endOf, loopStateOf, waitingOf } from '../model/phase.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { reviewSpend } from '../model/spend-lanes.js';
import { totalSpend } from '../model/spend-account.js';
import type { StopClass } from '../model/stop-class.js';
import { FlakyTests } from './flaky-tests.js';

/** What one run took and what came of it. What is absent is not known. */
export interface RunStatistics {
  readonly runId?: string | undefined;
  readonly kind?: RunState['kind'];
  readonly status: LoopState;
  readonly class?: StopClass | undefined;
  readonly iterations: number;
  readonly activeMs: number;
  readonly costUsd?: number | undefined;
  /** Spent by reviews, as a part of that; absent without reviews, or when it is not known. */
  readonly reviewsUsd?: number | undefined;
  /** Spent after the last iteration that made progress; of a pipeline after the last item that was approved. */
  readonly wastedUsd?: number | undefined;
  /** In milliseconds of the clock, by what was waited for. */
  readonly waitedMs: Readonly<Partial<Record<WaitingFor, number>>>;
  readonly flakyTests: readonly string[];
  /** The tests of one tree gave different results, and no names were told. */
  readonly isFlaky: boolean;
  readonly errors: readonly SeenErrors[];
  /** The project is for anyone who knows where the run lies. */
  readonly history: HistoryRun;
}

/** The same error, ids and numbers apart. */
export interface SeenErrors {
  readonly fingerprint: string;
  /** As it was reported last. */
  readonly message: string;
  readonly count: number;
}

const MOST_ERRORS = 1000;

/** Statistics that get one event after the other. */
export interface StatisticsReading {
  see(event: RunEvent): void;
  end(): RunStatistics;
}

export function createRunStatistics(): StatisticsReading {
  const flaky = new FlakyTests();
  const errors = new Map<string, SeenErrors>();
  const waited: Partial<Record<WaitingFor, number>> = {};
  /** What was reported in the iteration under way: its end names the same error again. */
  let told = new Set<string>();
  let state = INITIAL_STATE;
  let spentAtProgress: number | undefined = 0;
  let isProgressKnown = false;

  const count = (message: string, fingerprint: string) => {
    const before = errors.get(fingerprint)?.count ?? 0;
    if (before > 0 || errors.size < MOST_ERRORS) errors.set(fingerprint, { fingerprint, message, count: before + 1 });
    told.add(fingerprint);
  };
  const see = (event: RunEvent) => {
    const before = state;
    state = reduce(state, event);
    addWait(waited, before, event, state);
    const progress = progressOf(event, state);
    if (progress !== undefined) isProgressKnown = true;
    if (progress === true) spentAtProgress = totalSpend(state.spend).costUsd;
    flaky.see(event);
    if (event.type === 'iteration-started') told = new Set();
    if (event.type === 'error-seen') count(event.message, event.fingerprint);
    if (event.type === 'iteration-ended' && event.error !== undefined) {
      const fingerprint = errorFingerprint(event.error);
      if (!told.has(fingerprint)) count(event.error, fingerprint);
    }
  };
  const end = (): RunStatistics => {
    const { costUsd } = totalSpend(state.spend);
    const isKnown = costUsd !== undefined && spentAtProgress !== undefined && isProgressKnown;
    return {
      runId: state.runId,
      kind: state.kind,
      status: loopStateOf(state),
      class: endOf(state)?.class,
      iterations: state.iterations,
      activeMs: state.activeMs,
      costUsd,
      reviewsUsd: reviewSpend(state.spend)?.costUsd,
      wastedUsd: isKnown ? Math.max(0, costUsd - (spentAtProgress ?? 0)) : undefined,
      waitedMs: waited,
      flakyTests: flaky.names,
      isFlaky: flaky.isFlaky,
      errors: [...errors.values()],
      history: historyRun(state, ''),
    };
  };
  return { see, end };
}

/** Undefined when the event is no end of anything, or it is not known. */
function progressOf(event: RunEvent, state: RunState): boolean | undefined {
  const { recent } = state;
  const ended = endOf(state);
  if (event.type === 'iteration-ended') return recent.at(-1)?.madeProgress;
  if (event.type === 'item-ended') return event.status === 'approved';
  // What reached the goal was not wasted.
  return event.type === 'run-ended' && ended?.class === 'goal' ? true : undefined;
}

/** A wait ends when something else begins, also by a crash. */
function addWait(
  waited: Partial<Record<WaitingFor, number>>,
  before: RunState,
  { at }: RunEvent,
  after: RunState,
): void {
  const waiting = waitingOf(before);
  if (waiting === undefined || waiting.since === waitingOf(after)?.since) return;
  const passedMs = Date.parse(at) - Date.parse(waiting.since);
  if (passedMs > 0) waited[waiting.for] = (waited[waiting.for] ?? 0) + passedMs;
}
