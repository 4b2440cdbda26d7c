import { met, notMet, unknown, ownFact } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';

export const checkPasses = defineCondition({
  type: 'check_passes',
  about: 'the check with this name passed',
  fields: { name: field.text },
  make: (name: string) => ({ name }),
  short: 'name',
  class: 'goal',
  goalOnly: true,
  priority: 60,
  where: 'loop',
  needsDirectory: true,
  needs: ({ name }) => ({ check: name }),
  judge: ({ name }, { checks }) => {
    const passed = ownFact(checks, name)?.passed;
    if (passed === undefined) return unknown(`the check ${name} was not run to its end`);
    return passed ? met(`the check ${name} passes`) : notMet(`the check ${name} fails`);
  },
  describe: ({ name }) => `when the check ${name} passes`,
  takes: ({ name }) => `the check ${name} to pass`,
});
