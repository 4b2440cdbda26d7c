import { stopRequested } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { defineCondition } from '../judging/define-condition.js';

export const userSignal = defineCondition({
  type: 'user_signal',
  about: 'someone requested a stop',
  fields: {},
  make: () => ({}),
  class: 'operator',
  priority: 90,
  where: 'both',
  live: true,
  judge: (_condition, { userSignal: isRequested, operatorStop }) => {
    if (isRequested === undefined) return unknown('whether a stop was requested is not known');
    return isRequested ? met(stopRequested(operatorStop?.by ?? 'the user')) : notMet('no stop was requested');
  },
  describe: () => 'when a stop is requested',
  takes: () => 'a stop to be requested',
});
