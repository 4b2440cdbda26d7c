import { stopRequested } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import type { ConditionDefinition } from '../judging/condition-definition.js';

export interface UserSignal {
  readonly type: 'user_signal';
}

export const definition = {
  type: 'user_signal',
  version: 1,
  about: 'an operator asked the run to stop',
  fields: {},
  class: 'operator',
  priority: 90,
  where: 'both',
  live: true,
  judge: (_condition, { userSignal: isRequested, operatorStop }) => {
    if (isRequested === undefined) return unknown('whether a stop was requested is not known');
    return isRequested ? met(stopRequested(operatorStop?.by ?? 'the user')) : notMet('no stop was requested');
  },
  describe: () => 'when an operator asks',
  needs: () => 'an operator to ask',
} satisfies ConditionDefinition<UserSignal>;

export const userSignal = () => build<UserSignal>(definition);
