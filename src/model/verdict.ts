import type { StopCondition } from './condition.js';
import type { StopClass } from './stop-class.js';

/** Met, not met, or not known for want of a fact. */
export type ConditionStatus = 'met' | 'not-met' | 'unknown';

/** In how many iterations in a row the inside of a `for` has held, up to which iteration. */
export interface Hold {
  readonly iterations: number;
  readonly upTo: number;
}

/** What the record says of one condition. */
export interface StopConditionResult {
  readonly condition: StopCondition;
  readonly status: ConditionStatus;
  readonly isMet: boolean;
  /** One sentence with the figures: "14 of 20 iterations". */
  readonly reason?: string | undefined;
  /** From 0 to 1 where it can be told. */
  readonly progress?: number | undefined;
  /** Set when the status is unknown because spend is: a limit then blocks the run instead of letting it go on. */
  readonly spendUnknown?: string | undefined;
  /** Of a `for`: how long its inside has held. */
  readonly hold?: Hold | undefined;
  /** The judgements inside a composite. */
  readonly children?: readonly StopConditionResult[] | undefined;
}

/** A judged condition of a policy. */
export interface Judgement {
  readonly path: string;
  readonly class: StopClass;
  readonly status: ConditionStatus;
  readonly progress?: number | undefined;
  readonly sentence: string;
}

/** Why a run stops: one met condition, or something that stops every run (an operator, a login that failed). */
export interface StopReason {
  readonly path: string;
  readonly class: StopClass;
  readonly condition?: StopCondition | undefined;
  readonly message: string;
}

/** What a policy says of a run: whether to stop, every reason, and how far each condition is. */
export interface Verdict {
  readonly stop: boolean;
  /** The class of the first reason: it sets outcome and exit code. */
  readonly class?: StopClass | undefined;
  /** Every met condition, the deciding one first. */
  readonly reasons: readonly StopReason[];
  readonly judgements: readonly Judgement[];
  /** By condition key of each `for`. */
  readonly holds: Readonly<Record<string, Hold>>;
}
