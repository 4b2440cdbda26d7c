import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { PipelineState } from '../model/pipeline-state.js';
import type { RunState } from '../model/run-state.js';
import type { StopReason } from '../model/verdict.js';
import { measureOf } from '../stop/judge.js';

/** Story 4.4's names of what halts a pipeline. */
export type HaltCondition = 'RETRY_RATE' | 'REJECT_RATE' | 'CONSECUTIVE_FAILS' | 'CIRCUIT_BREAKER';

/** Why a pipeline halted. Other ends, such as MAX_COST or OPERATOR, may come without figures. */
export interface HaltReason {
  readonly condition: string;
  readonly value?: number | undefined;
  readonly threshold?: number | undefined;
  readonly message: string;
}

/** Why a pipeline has halted; undefined for one that has not. */
export function haltReasonIn({ phase, pipeline }: RunState): HaltReason | undefined {
  if (phase.name !== 'ended' || phase.state !== 'stopped' || pipeline === undefined) return undefined;
  const [reason] = phase.end.reasons;
  if (reason === undefined) return undefined;
  return haltReasonOf(reason, { ...pipeline, ...pipeline.atHalt });
}

/** The deciding reason with the story's names and figures; `pipeline` as it was when it was judged. */
export function haltReasonOf({ path, condition, message }: StopReason, pipeline: PipelineState): HaltReason {
  const isOfStory = condition !== undefined && CONDITION_CATALOG[condition.type].where === 'pipeline';
  const measure = isOfStory ? measureOf(condition, { pipeline, spend: {}, streaks: {} }) : undefined;
  return {
    condition: (condition?.type ?? path)
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_/, ''),
    ...(measure === undefined ? {} : { value: measure.value, threshold: measure.threshold }),
    message,
  };
}
