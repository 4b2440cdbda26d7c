import type { LoopState } from '../model/loop-state.js';
import type { Policy } from '../model/policy.js';
import type { RunEvent } from '../model/run-event.js';
import { endOf, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import type { StopClass } from '../model/stop-class.js';
import { type Candidate, Lane, type MissingFact, type ReplayedStop } from './lane.js';
import { type GuardLook, LookedFor } from './looked-for.js';
import type { RecordedFigures } from './recorded-figures.js';
import { Replaying } from './replaying.js';

/** What the record says of a run's end. */
export interface RecordedEnd {
  readonly status: LoopState;
  readonly class?: StopClass | undefined;
  readonly figures: RecordedFigures;
}

/** What stopping there would have saved, or lost. What is absent is not known. */
export interface Saved {
  readonly iterations: number;
  readonly costUsd?: number | undefined;
  readonly activeMs: number;
  /** Tests that passed at the end and did not at that point; below 0 when fewer passed at the end. */
  readonly testsPassed?: number | undefined;
  /** The run reached its goal after that point. */
  readonly losesGoal: boolean;
}

/** A recorded verdict next to the one that the policy gives at the same place. */
export interface ReplayedVerdict {
  readonly seq: number;
  readonly iteration: number;
  readonly verdict: Verdict;
  readonly recorded: Verdict;
  /** To the letter. */
  readonly isSame: boolean;
  /** At least in what it decides, and in what it says of every condition, if not in its words. */
  readonly decidesSame: boolean;
}

/** A recorded run under a policy. */
export interface Replay {
  readonly runId?: string | undefined;
  readonly kind?: RunState['kind'];
  /** The policy, as it was at the end of the record. */
  readonly policy: Policy;
  /** Undefined: it would have continued to the end of the record, and beyond it. */
  readonly stop?: ReplayedStop | undefined;
  readonly saved?: Saved | undefined;
  readonly end: RecordedEnd;
  /** Conditions that needed a fact which was not recorded. */
  readonly missing: readonly MissingFact[];
  /** One for each verdict in the record. Empty when another policy was asked about. */
  readonly verdicts: readonly ReplayedVerdict[];
}

export interface ReplayOptions {
  /** Answers guards (`protected_path_changed`) that the run did not have, from the files that it recorded as changed. */
  readonly guard?: GuardLook | undefined;
}

const asRecorded: Candidate = (recorded) => recorded;

/**
 * Judges a recorded run again, event by event, as the run itself was judged. Without a policy it is the run's own, with the
 * limits that were extended on the way, and gives its own verdicts. Pure: nothing is read, run or spent.
 *
 * @example
 * ```ts
 * import { maxCost, type LoopEvent } from 'pawl';
 * import { replay } from 'pawl/replay';
 *
 * declare const events: Iterable<LoopEvent>;
 * const { stop, saved } = replay(events, { success: [], failure: [], limits: [maxCost(5)] });
 * console.log(stop?.iteration, stop?.class, saved?.costUsd);
 * ```
 */
export function replay(events: Iterable<RunEvent>, policy?: Candidate, options: ReplayOptions = {}): Replay {
  const reading = createReplay(policy, options);
  for (const event of events) reading.see(event);
  return reading.end();
}

/** A replay that gets one event after the other. */
export interface ReplayReading {
  see(event: RunEvent): void;
  end(): Replay;
}

export function createReplay(policy: Candidate = asRecorded, { guard }: ReplayOptions = {}): ReplayReading {
  const lane = new Lane(policy);
  const verdicts: ReplayedVerdict[] = [];
  const onVerdict = ({ seq, iteration, verdict: recorded }: RecordedVerdict, verdict: Verdict) => {
    const isSame = isSameJson(recorded, verdict);
    const decidesSame = isSame || isSameJson(decisionOf(recorded), decisionOf(verdict));
    verdicts.push({ seq, iteration, verdict, recorded, isSame, decidesSame });
  };
  const replaying = new Replaying({
    lanes: [lane],
    lookedFor: new LookedFor(guard),
    onVerdict: policy === asRecorded ? onVerdict : undefined,
  });
  return {
    see: (event) => replaying.see(event),
    end: () => {
      replaying.end();
      return { ...replayOf(lane, replaying), verdicts };
    },
  };
}

/** A verdict without its words and its degrees. */
export function decisionOf({ stop, class: stopClass, reasons, judgements }: Verdict): unknown {
  return {
    stop,
    stopClass,
    reasons: reasons.map(({ path, class: own }) => [path, own]),
    judgements: judgements.map(({ path, class: own, status }) => [path, own, status]),
  };
}

type RecordedVerdict = Extract<RunEvent, { readonly type: 'verdict-reached' }>;

/** What one lane came to, when the record has been read to its end. */
export function replayOf(lane: Lane, { state, figures, resumedSeq }: Replaying): Omit<Replay, 'verdicts'> {
  const { missing } = lane;
  // What was in flight when the run itself was stopped has come to its end in both.
  const isLast = lane.stop?.asRecorded === true && lane.stop.seq > resumedSeq;
  const isSameClass = lane.stop?.class === (endOf(state)?.class ?? lane.stop?.class);
  const stop = isLast && lane.stop !== undefined ? { ...lane.stop, figures, asRecorded: isSameClass } : lane.stop;
  const end: RecordedEnd = { status: loopStateOf(state), class: endOf(state)?.class, figures };
  return {
    runId: state.runId,
    kind: state.kind,
    policy: lane.policyFor(state.policy),
    stop,
    saved: stop === undefined ? undefined : savedBy(stop, end),
    end,
    missing,
  };
}

function savedBy(stop: ReplayedStop, end: RecordedEnd): Saved {
  const { figures: then } = stop;
  const { figures: last } = end;
  const difference = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? undefined : a - b;
  return {
    iterations: last.iterations - then.iterations,
    costUsd: difference(last.costUsd, then.costUsd),
    activeMs: last.activeMs - then.activeMs,
    testsPassed: difference(last.testsPassed, then.testsPassed),
    losesGoal: end.class === 'goal' && stop.class !== 'goal',
  };
}

/** Whether two values are the same in a record, where what is undefined is left out. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((entry, index) => isSameJson(entry, b[index]));
  }
  return hasAll(a, b) && hasAll(b, a, true);
}

function hasAll(some: object, others: object, keysOnly = false): boolean {
  for (const key of Object.keys(some)) {
    const value = (some as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) continue;
    const other = Object.hasOwn(others, key) ? (others as Readonly<Record<string, unknown>>)[key] : undefined;
    if (keysOnly ? other === undefined : !isSameJson(value, other)) return false;
  }
  return true;
}
