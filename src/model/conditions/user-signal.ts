import { stopRequested } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { defineCondition } from '../judging/define-condition.js';

export const userSignal = defineCondition({
  type: 'user_signal',
  about: 'an operator asked the run to stop',
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
  describe: () => 'when an operator asks',
  takes: () => 'an operator to ask',
});
