import type { StopCondition } from './condition.js';
import type { Answer, ConditionStatus, Hold } from './judging/answer.js';
import type { StopClass } from './stop-class.js';

export type { ConditionStatus, Hold } from './judging/answer.js';

/** What the record says of one condition. */
export interface StopConditionResult extends Answer {
  readonly condition: StopCondition;
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
