import type { ConditionType } from '../model/condition.js';
import { lowestLimit, type Policy, policyEntries, policyLeaves } from '../model/policy.js';
import type { RunEvent } from '../model/run-event.js';
import { openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Hold, StopReason, Verdict } from '../model/verdict.js';
import type { StopClass } from '../model/stop-class.js';
import { evaluateLive, evaluatePolicy } from '../stop/evaluate-policy.js';
import type { Facts } from '../model/judging/facts.js';
import { isLiveEvent, isMoved, isTimeUp, type LiveTriggers, triggersOf } from './live-triggers.js';
import type { RecordedFigures } from './recorded-figures.js';
import type { Quantity } from '../model/judging/quantity.js';

/** A policy of its own, or one that is made of whatever policy the run had at the time. */
export type Candidate = Policy | ((recorded: Policy) => Policy);

/** Where a recorded run would have stopped. */
export interface ReplayedStop {
  /** The event that decided. */
  readonly seq: number;
  readonly at?: string | undefined;
  /** Iterations that had ended by then; of a pipeline attempts. */
  readonly iteration: number;
  /** The iteration in whose middle it would have been; undefined when it was between two. */
  readonly within?: number | undefined;
  readonly class: StopClass;
  readonly reasons: readonly StopReason[];
  readonly figures: RecordedFigures;
  /** The run itself has stopped there, too. */
  readonly asRecorded: boolean;
}

/** A condition that could not be judged for want of a fact. It is unknown, which is not the same as not met. */
export interface MissingFact {
  readonly path: string;
  readonly class: StopClass;
  readonly type: ConditionType;
  /** What was not known, in words. */
  readonly what: string;
  /** At some time all of it that was inspected held, or a part of it. */
  readonly heldSoFar: boolean;
  /** In how many of the judgements. */
  readonly unknown: number;
  readonly of: number;
}

/** What is known at the moment of a judgement. */
export interface Moment {
  readonly state: RunState;
  readonly facts: Facts;
  readonly figures: () => RecordedFigures;
  /** The verdict that the run itself came to here, where it is known. */
  readonly recorded?: Verdict | undefined;
}

/** What a replay asks and shows a lane. */
export type ReplayLane = Pick<
  Lane,
  | 'isOver'
  | 'isStopped'
  | 'policyFor'
  | 'disturb'
  | 'resume'
  | 'isMovedBy'
  | 'hasTimeLimit'
  | 'seeWork'
  | 'seeCost'
  | 'seeEnd'
  | 'judge'
  | 'judgeLive'
>;

/** One policy over one record: what it says at each point at which the run was judged. */
export class Lane {
  readonly #candidate: Candidate;
  /** Made for the policy that the run had then; `for` conditions count by the verdicts of this lane. */
  #made: { readonly from: Policy; readonly policy: Policy; readonly triggers: LiveTriggers } | undefined;
  #holds: Readonly<Record<string, Hold>> = {};
  #stop: ReplayedStop | undefined;
  /** It would have been interrupted, if the agent still had something to do. */
  #interrupted: ReplayedStop | undefined;
  /** The run was told to continue from here by an operator, and would have been again. */
  #isProvisional = false;
  /** The cost of the interrupted iteration is in the figures of the stop. */
  #isCharged = false;
  /** Something else than an event may have changed what the live conditions say. */
  #isDirty = true;
  #judged = 0;
  readonly #missing = new Map<string, Omit<MissingFact, 'path' | 'of'>>();

  constructor(candidate: Candidate) {
    this.#candidate = candidate;
  }

  get stop(): ReplayedStop | undefined {
    return this.#stop;
  }

  get isOver(): boolean {
    return this.#stop !== undefined && !this.#isProvisional;
  }

  get isStopped(): boolean {
    return this.#stop !== undefined || this.#interrupted !== undefined;
  }

  get missing(): readonly MissingFact[] {
    return [...this.#missing].map(([path, fact]) => ({ path, ...fact, of: this.#judged }));
  }

  policyFor(recorded: Policy): Policy {
    return this.#makeFor(recorded).policy;
  }

  /** An iteration begins, or the limits have changed: the next live event is judged whatever it is. */
  disturb(): void {
    this.#isDirty = true;
  }

  /** An operator lets the run continue: what has held starts again, and a stop that was the run's own is taken back. */
  resume(): void {
    this.#holds = {};
    this.#isDirty = true;
    if (!this.#isProvisional) return;
    this.#stop = undefined;
    this.#isProvisional = false;
  }

  isMovedBy(event: RunEvent, state: RunState): boolean {
    const { triggers } = this.#makeFor(state.policy);
    if (!isLiveEvent(event)) return isTimeUp(triggers, event);
    return this.#isDirty || isMoved(triggers, event, state);
  }

  hasTimeLimit(recorded: Policy): boolean {
    const { activeMs, atMs, isTimed } = this.#makeFor(recorded).triggers;
    return isTimed || activeMs !== Number.POSITIVE_INFINITY || atMs !== Number.POSITIVE_INFINITY;
  }

  /** The agent has continued its work, which it could not have: it was stopped before. */
  seeWork(): void {
    this.#stop ??= this.#interrupted;
    this.#interrupted = undefined;
  }

  /** The iteration that would have been interrupted has ended: what it cost was mostly told after that moment. */
  seeCost(costUsd: number | undefined): void {
    if (this.#stop?.within === undefined || this.#isCharged) return;
    this.#isCharged = true;
    this.#stop = { ...this.#stop, figures: { ...this.#stop.figures, costUsd } };
  }

  /** The agent was done when it would have been interrupted: it is judged by all that it left behind. */
  seeEnd(): void {
    this.#interrupted = undefined;
  }

  /** The whole policy, as it is judged between two iterations. */
  judge(moment: Moment): Verdict {
    this.#isDirty = false;
    const policy = this.policyFor(moment.state.policy);
    const verdict = evaluatePolicy(policy, this.#factsFor(policy, moment));
    this.#holds = { ...this.#holds, ...verdict.holds };
    this.#note(verdict, policy, moment);
    if (verdict.stop && this.#stop === undefined) {
      const isRecorded = moment.recorded?.stop === true;
      this.#stop = stopAt(verdict, moment, { isRecorded });
      // A login, a hook or a person ends any run, and anyone who saw to it then would have done so again.
      const isGiven = verdict.reasons.every(({ condition }) => condition === undefined);
      this.#isProvisional = isRecorded && (isGiven || typeof this.#candidate === 'function');
    }
    return verdict;
  }

  /** Only what may interrupt an agent. What also interrupted the recorded one is judged when its iteration has ended. */
  judgeLive(moment: Moment): void {
    this.#isDirty = false;
    const { state, facts } = moment;
    const policy = this.policyFor(state.policy);
    const verdict = evaluateLive(policy, this.#factsFor(policy, moment));
    if (!verdict.stop || evaluateLive(state.policy, facts).stop) return;
    this.#interrupted = stopAt(verdict, moment, { within: openIteration(state)?.iteration });
  }

  #makeFor(recorded: Policy) {
    if (this.#made?.from !== recorded) {
      const policy = typeof this.#candidate === 'function' ? this.#candidate(recorded) : this.#candidate;
      const triggers = this.#made?.policy === policy ? this.#made.triggers : triggersOf(policy);
      this.#made = { from: recorded, policy, triggers };
      this.#isDirty = true;
    }
    return this.#made;
  }

  #factsFor(policy: Policy, { facts, state }: Moment): Facts {
    const own = countsVerdicts(policy) ? { ...facts, holds: this.#holds } : facts;
    if (policy === state.policy) return own;
    // Where no one was to look at what others spend, that no one did is no reason to stop.
    const isDayAsked = state.day !== undefined || asksFor(state.policy, 'dayCostUsd');
    const isBatchAsked = state.batch !== undefined || asksFor(state.policy, 'batchCostUsd');
    return {
      ...own,
      // What is tried on a recorded run is tried for the next one, which would have the newest rules.
      rules: undefined,
      isOtherPolicy: true,
      dayProblem: isDayAsked ? facts.dayProblem : undefined,
      batchProblem: isBatchAsked ? facts.batchProblem : undefined,
    };
  }

  /** Before the first iteration nothing has been said or changed yet: that is not a gap in the record. */
  #note({ judgements }: Verdict, policy: Policy, { state }: Moment): void {
    if (state.iterations === 0) return;
    this.#judged += 1;
    for (const { path, class: stopClass, status, sentence, progress = 0 } of judgements) {
      if (status !== 'unknown') continue;
      const known = this.#missing.get(path);
      const type = known?.type ?? policyEntries(policy).find((entry) => entry.path === path)?.condition.type ?? 'never';
      const { unknown = 0, heldSoFar = false } = known ?? {};
      const isNew = known === undefined || (progress > 0 && !heldSoFar);
      const what = isNew ? sentence : known.what;
      this.#missing.set(path, {
        class: stopClass,
        type,
        what,
        unknown: unknown + 1,
        heldSoFar: heldSoFar || progress > 0,
      });
    }
  }
}

function stopAt(
  { class: stopClass = 'limit', reasons }: Verdict,
  { state, figures }: Moment,
  { within, isRecorded = false }: { readonly within?: number | undefined; readonly isRecorded?: boolean },
): ReplayedStop {
  const { seq, at, iterations: iteration } = state;
  const then = figures();
  return {
    seq,
    at,
    iteration,
    within,
    class: stopClass,
    reasons,
    // An iteration that is interrupted is used up.
    figures: within === undefined ? then : { ...then, iterations: Math.max(iteration, within) },
    asRecorded: isRecorded,
  };
}

function asksFor(policy: Policy, asked: Quantity): boolean {
  return lowestLimit(policyLeaves(policy), asked) !== undefined;
}

const counting = new WeakMap<Policy, boolean>();

/** Only a `for` reads what verdicts before have said. */
function countsVerdicts(policy: Policy): boolean {
  const known = counting.get(policy);
  if (known !== undefined) return known;
  const counts = policyEntries(policy).some(({ condition }) => JSON.stringify(condition).includes('"type":"for"'));
  counting.set(policy, counts);
  return counts;
}
