import type { StopCondition } from '../model/condition.js';
import { ratesOf } from '../model/reduce-pipeline.js';
import type { PipelineState, RunState } from '../model/run-state.js';
import type { StopReason } from '../model/verdict.js';
import { count, percent, plural } from '../stop/figures.js';

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

/** The deciding reason in the story's words; `pipeline` as it was when it was judged. */
export function haltReasonOf({ path, condition, message }: StopReason, pipeline: PipelineState): HaltReason {
  const figures = condition === undefined ? undefined : storyFigures(condition, pipeline);
  if (figures !== undefined) return figures;
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
): (HaltReason & { condition: HaltCondition }) | undefined {
  switch (condition.type) {
    case 'retry_rate':
      return rate('RETRY_RATE', 'Retry rate', ratesOf(pipeline).retryRate, condition.max);
    case 'reject_rate':
      return rate('REJECT_RATE', 'Reject rate', ratesOf(pipeline).rejectRate, condition.max);
    case 'consecutive_fails': {
      const { consecutiveFails: value } = pipeline;
      const threshold = condition.count;
      const were = value === 1 ? 'was' : 'were';
      const message = `${plural(value, 'item')} in a row failed or ${were} rejected, ${halting(threshold)}`;
      return { condition: 'CONSECUTIVE_FAILS', value, threshold, message };
    }
    case 'circuit_breaker': {
      const { attempts: value } = pipeline;
      const threshold = condition.attempts;
      const were = value === 1 ? 'was' : 'were';
      const message = `${plural(value, 'attempt')} ${were} made, ${halting(threshold)}`;
      return { condition: 'CIRCUIT_BREAKER', value, threshold, message };
    }
    default:
      return undefined;
  }
}

function rate(condition: 'RETRY_RATE' | 'REJECT_RATE', name: string, value: number, threshold: number) {
  return { condition, value, threshold, message: `${name} ${percent(value)} exceeds ${percent(threshold)} threshold` };
}

function halting(threshold: number): string {
  return `${count(threshold)} ${threshold === 1 ? 'halts' : 'halt'} the run`;
}
