import { reduce } from '../model/reduce.js';
import { type EventOf, type EventType, type RunEvent, typesWhere } from '../model/run-event.js';
import { hasEnded, openIteration } from '../model/phase.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { TestResults } from '../model/test-results.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateLive } from '../stop/evaluate-policy.js';
import type { Facts } from '../model/judging/facts.js';
import { factsOf } from '../stop/facts.js';
import type { Moment, ReplayLane } from './lane.js';
import { isLiveEvent } from './live-triggers.js';
import type { LookedFor } from './looked-for.js';
import { figuresOf, type RecordedFigures, testsSeen } from './recorded-figures.js';

/** Events that an agent which was interrupted would not have caused. */
const WORK: ReadonlySet<EventType> = new Set(typesWhere(({ isWork }) => isWork === true));

/** Told of each verdict that the record holds, with what the first lane says at the same place. */
export type VerdictReader = (event: EventOf<'verdict-reached'>, verdict: Verdict) => void;

export interface ReplayingOptions {
  readonly lanes: readonly ReplayLane[];
  readonly lookedFor: LookedFor;
  readonly onVerdict?: VerdictReader | undefined;
}

/**
 * Reads a record once and judges it under many policies, at the points at which the run itself was judged. The fold is the
 * same for all of them; only the verdicts differ, and what `for` counts by them.
 */
export class Replaying {
  readonly #options: ReplayingOptions;
  #active: readonly ReplayLane[];
  #state: RunState = INITIAL_STATE;
  #tests: TestResults | undefined;
  #resumedSeq = 0;
  /** Something has ended and is not judged yet. */
  #isDue = false;

  constructor(options: ReplayingOptions) {
    this.#options = options;
    this.#active = options.lanes;
  }

  get state(): RunState {
    return this.#state;
  }

  get figures(): RecordedFigures {
    return figuresOf(this.#state, this.#tests);
  }

  /** The event with which an operator let the run continue the last time; 0 when no one did. */
  get resumedSeq(): number {
    return this.#resumedSeq;
  }

  see(event: RunEvent): void {
    this.#before(event);
    this.#state = reduce(this.#state, this.#options.lookedFor.in(event));
    this.#tests = testsSeen(this.#tests, event);
    this.#after(event);
  }

  /** The record ends here. */
  end(): void {
    if (this.#isDue) this.#judgeAll();
    this.#seeWork();
    this.#charge();
  }

  /** Also to lanes that are over. */
  #charge(): void {
    const { costUsd } = this.figures;
    for (const lane of this.#options.lanes) lane.seeCost(costUsd);
  }

  /** What is due is judged where the run was judged, or else before anything new begins. */
  #before(event: RunEvent): void {
    if (event.type === 'verdict-reached') return this.#judgeAll(event);
    const isLate = event.type === 'iteration-started' || this.#state.pipeline !== undefined;
    // A run that broke down was not judged any more.
    if (event.type === 'run-ended' && event.state === 'error') this.#isDue = false;
    if (this.#isDue && (isLate || event.type === 'run-ended')) this.#judgeAll();
    if (event.type === 'iteration-started') this.#judgeRest(event);
  }

  #after(event: RunEvent): void {
    switch (event.type) {
      case 'run-started':
      case 'manifest-changed':
        this.#lookFor();
        return;
      case 'iteration-ended':
        for (const lane of this.#active) lane.seeEnd();
        this.#charge();
        this.#isDue = true;
        return;
      case 'baseline-observed':
      case 'tests-accepted':
      case 'review-ended':
      case 'attempt-ended':
      case 'item-ended':
        this.#isDue = true;
        return;
      case 'iteration-started':
      case 'limit-extended':
        for (const lane of this.#active) lane.disturb();
        return;
      case 'run-resumed':
        if (event.spec !== undefined) this.#lookFor();
        if (event.cause === 'operator') this.#resume(event.seq);
        return;
      default:
        if (WORK.has(event.type)) this.#seeWork();
        this.#judgeLive(event);
    }
  }

  #resume(seq: number): void {
    this.#resumedSeq = seq;
    for (const lane of this.#options.lanes) lane.resume();
    this.#forgetOver();
  }

  #seeWork(): void {
    for (const lane of this.#active) lane.seeWork();
    this.#forgetOver();
  }

  #lookFor(): void {
    const { policy } = this.#state;
    for (const lane of this.#active) this.#options.lookedFor.add(lane.policyFor(policy), policy);
  }

  #judgeLive(event: RunEvent): void {
    const { pipeline, verdict } = this.#state;
    const open = openIteration(this.#state);
    if (this.#active.length === 0 || this.#isDue || hasEnded(this.#state)) return;
    if (pipeline === undefined && verdict?.stop === true) return;
    const moved = this.#active.filter((lane) => !lane.isStopped && lane.isMovedBy(event, this.#state));
    if (moved.length === 0) return;
    if (open === undefined) {
      if (!isLiveEvent(event)) return;
      // All of it is judged, when it is known whether the run itself was stopped by it.
      this.#isDue = pipeline !== undefined || isOfInterest(event);
      return;
    }
    const moment = this.#momentOf(this.#state);
    for (const lane of moved) lane.judgeLive(moment);
    this.#forgetOver();
  }

  /** Time has passed since the last verdict, in a wait or a delay. */
  #judgeRest({ at, activeMs }: RunEvent): void {
    const { policy } = this.#state;
    const timed = this.#active.filter((lane) => !lane.isStopped && lane.hasTimeLimit(policy));
    if (timed.length === 0) return;
    const moment = this.#momentOf({ ...this.#state, at, activeMs: Math.max(activeMs, this.#state.activeMs) });
    // The run's own time was up between its last look at the clock and this event: it is interrupted at once.
    if (evaluateLive(policy, moment.facts).stop) return;
    for (const lane of timed) lane.judge(moment);
    this.#forgetOver();
  }

  #judgeAll(event?: EventOf<'verdict-reached'>): void {
    this.#isDue = false;
    const { lanes, onVerdict } = this.#options;
    const [first] = event === undefined || onVerdict === undefined ? [] : lanes;
    if (this.#active.length === 0 && first === undefined) return;
    const moment = this.#momentOf(this.#state, event?.verdict);
    if (event !== undefined && first !== undefined) onVerdict?.(event, first.judge(moment));
    for (const lane of this.#active) if (lane !== first && !lane.isStopped) lane.judge(moment);
    this.#forgetOver();
  }

  #momentOf(state: RunState, recorded?: Verdict): Moment {
    let facts: Facts | undefined;
    return {
      state,
      recorded,
      get facts() {
        facts ??= factsOf(state);
        return facts;
      },
      figures: () => figuresOf(state, this.#tests),
    };
  }

  #forgetOver(): void {
    if (this.#active.some((lane) => lane.isOver)) this.#active = this.#active.filter((lane) => !lane.isOver);
  }
}

const AT_REST: ReadonlySet<EventType> = new Set(typesWhere(({ judged }) => judged === 'always'));

/** At rest a loop is judged again when someone asks it to stop, others have spent, or time is up. */
function isOfInterest({ type }: RunEvent): boolean {
  return AT_REST.has(type);
}
