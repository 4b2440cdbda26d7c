import { itemRate } from '../judging/item-rate.js';

export const retryRate = itemRate(
  {
    type: 'retry_rate',
    priority: 72,
    about: 'more than this share of the finished items needed more than one attempt',
  },
  'retryRate',
  { name: 'retry rate', verb: 'need a retry' },
);
