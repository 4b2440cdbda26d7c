import { build } from '../judging/build.js';
import { itemRate } from '../judging/item-rate.js';

export interface RetryRate {
  readonly type: 'retry_rate';
  readonly max: number;
  readonly min_items?: number | undefined;
}

export const definition = itemRate<RetryRate>(
  {
    type: 'retry_rate',
    priority: 72,
    about: 'more than this part of the finished items needed more than one attempt',
  },
  'retryRate',
  { name: 'retry rate', verb: 'need a retry', counted: ({ withRetries }) => withRetries },
);

export const retryRate = (max: number, options: { minItems?: number } = {}) =>
  build<RetryRate>(definition, { max, min_items: options.minItems });
