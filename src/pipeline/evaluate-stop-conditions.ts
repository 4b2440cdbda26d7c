import { EMPTY_POLICY } from '../model/policy.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { type HaltCondition, type HaltReason, haltReasonOf } from './halt-reason.js';
import { haltingConditions, type StopConditions, usualBreaker } from './stop-conditions.js';
import { StopConditionsSchema } from './stop-conditions-schema.js';
import { type FrameRunState, pipelineOf } from './story-state.js';

/** Why a pipeline halts, in Story 4.4's words. */
export interface PipelineStopReason extends HaltReason {
  readonly condition: HaltCondition;
  readonly value: number;
  readonly threshold: number;
}

export interface StopConditionsConfig extends Partial<StopConditions> {
  /** Attempts in all. Without it: 50, or twice the items if that is more. */
  readonly circuit_breaker?: number | undefined;
}

/**
 * The first condition that halts a pipeline, by priority: circuit breaker, consecutive fails, reject rate, retry rate.
 * Null when none does. Throws ConfigError when the thresholds are none.
 *
 * @example
 * ```ts
 * import { evaluateStopConditions } from 'pawl/pipeline';
 *
 * const frame_states = { a: { status: 'rejected', attempts: [{}] }, b: { status: 'approved', attempts: [{}] } };
 * evaluateStopConditions({ frame_states }, { max_reject_rate: 0.3 })?.condition; // 'REJECT_RATE'
 * ```
 */
export function evaluateStopConditions(
  state: FrameRunState,
  config: StopConditionsConfig = {},
): PipelineStopReason | null {
  const { circuit_breaker, ...thresholds } = config;
  const pipeline = pipelineOf(state);
  const breaker = circuit_breaker ?? usualBreaker(pipeline.items);
  const policy = { ...EMPTY_POLICY, failure: haltingConditions(StopConditionsSchema.parse(thresholds), breaker) };
  const { reasons } = evaluatePolicy(policy, { spend: {}, streaks: {}, pipeline });
  // That everything is done halts nothing.
  const halting = reasons.find(({ condition }) => condition !== undefined);
  return halting === undefined ? null : (haltReasonOf(halting, pipeline) as PipelineStopReason);
}
