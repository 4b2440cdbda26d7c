import { notMet } from '../judging/answer.js';
import { defineCondition } from '../judging/define-condition.js';

export const never = defineCondition({
  type: 'never',
  about: 'never',
  fields: {},
  make: () => ({}),
  class: 'limit',
  neutral: true,
  priority: 0,
  where: 'both',
  judge: () => notMet('never'),
  describe: () => 'never',
});
