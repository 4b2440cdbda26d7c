import { notMet } from '../judging/answer.js';
import { build } from '../judging/build.js';
import type { ConditionDefinition } from '../judging/condition-definition.js';

export interface Never {
  readonly type: 'never';
}

export const definition = {
  type: 'never',
  version: 1,
  about: 'never',
  fields: {},
  class: 'limit',
  neutral: true,
  priority: 0,
  where: 'both',
  judge: () => notMet('never'),
  describe: () => 'never',
} satisfies ConditionDefinition<Never>;

export const never = () => build<Never>(definition);
