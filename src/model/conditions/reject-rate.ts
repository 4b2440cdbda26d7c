import { itemRate } from '../judging/item-rate.js';

export const rejectRate = itemRate(
  {
    type: 'reject_rate',
    priority: 74,
    about: 'more than this share of the finished items was rejected or failed',
  },
  'rejectRate',
  { name: 'reject rate', verb: 'are rejected or fail' },
);
