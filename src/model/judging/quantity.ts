import type { Facts } from './facts.js';
import type { MeasureUnit } from './measure.js';

/** What a run, or all runs together, use up. */
export type Quantity =
  | 'iterations'
  | 'attempts'
  | 'activeMs'
  | 'atMs'
  | 'totalTokens'
  | 'inputTokens'
  | 'outputTokens'
  | 'costUsd'
  | 'dayCostUsd'
  | 'batchCostUsd';

/** The one quantity that decides a condition, and how much of it. */
export interface Limit {
  readonly quantity: Quantity;
  readonly amount: number;
}

/** How much of a quantity is used up; undefined when it is not known. */
export function usedOf(quantity: Quantity, facts: Facts): number | undefined {
  switch (quantity) {
    case 'iterations':
      return facts.iteration;
    case 'attempts':
      return facts.pipeline?.attempts;
    case 'activeMs':
    case 'dayCostUsd':
    case 'batchCostUsd':
      return facts[quantity];
    case 'atMs':
      return facts.nowMs;
    default:
      return facts.spend[quantity];
  }
}

/** In what a quantity is measured; undefined for a time of the clock, of which there is no amount. */
export function measuredIn(quantity: Quantity, { pipeline }: Facts): MeasureUnit | undefined {
  switch (quantity) {
    case 'iterations':
      return pipeline === undefined ? 'iterations' : 'attempts';
    case 'attempts':
      return 'attempts';
    case 'activeMs':
      return 'ms';
    case 'atMs':
      return undefined;
    case 'totalTokens':
    case 'inputTokens':
    case 'outputTokens':
      return 'tokens';
    default:
      return 'usd';
  }
}
