import { build } from '../judging/build.js';
import { itemRate } from '../judging/item-rate.js';

export interface RejectRate {
  readonly type: 'reject_rate';
  readonly max: number;
  readonly min_items?: number | undefined;
}

export const definition = itemRate<RejectRate>(
  {
    type: 'reject_rate',
    priority: 74,
    about: 'more than this part of the finished items were rejected or failed',
  },
  'rejectRate',
  { name: 'reject rate', verb: 'are rejected or fail', counted: ({ rejected, failed }) => rejected + failed },
);

export const rejectRate = (max: number, options: { minItems?: number } = {}) =>
  build<RejectRate>(definition, { max, min_items: options.minItems });
