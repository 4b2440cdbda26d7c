import type { StopCondition } from '../model/condition.js';
import { ratesOf } from '../model/reduce-pipeline.js';
import type { PipelineState, RunState } from '../model/run-state.js';
import type { StopReason } from '../model/verdict.js';

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
export function haltReasonIn({ pipeline, ended, status }: RunState): HaltReason | undefined {
  const reason = ended?.reasons[0];
  if (status !== 'stopped' || pipeline === undefined || reason === undefined) return undefined;
  return haltReasonOf(reason, { ...pipeline, ...pipeline.atHalt });
}

/** The deciding reason with the story's names and figures; `pipeline` as it was when it was judged. */
export function haltReasonOf({ path, condition, message }: StopReason, pipeline: PipelineState): HaltReason {
  const figures = condition === undefined ? undefined : storyFigures(condition, pipeline);
  if (figures !== undefined) return { ...figures, message };
  const name = condition?.type ?? path;
  return {
    condition: name
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_/, ''),
    message,
  };
}

function storyFigures(
  condition: StopCondition,
  pipeline: PipelineState,
): { readonly condition: HaltCondition; readonly value: number; readonly threshold: number } | undefined {
  switch (condition.type) {
    case 'retry_rate':
      return { condition: 'RETRY_RATE', value: ratesOf(pipeline).retryRate, threshold: condition.max };
    case 'reject_rate':
      return { condition: 'REJECT_RATE', value: ratesOf(pipeline).rejectRate, threshold: condition.max };
    case 'consecutive_fails':
      return { condition: 'CONSECUTIVE_FAILS', value: pipeline.consecutiveFails, threshold: condition.count };
    case 'circuit_breaker':
      return { condition: 'CIRCUIT_BREAKER', value: pipeline.attempts, threshold: condition.attempts };
    default:
      return undefined;
  }
}
