import { met, notMet, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { ownFact } from '../judging/own-fact.js';

export interface CheckPasses {
  readonly type: 'check_passes';
  readonly name: string;
}

export const definition = {
  type: 'check_passes',
  version: 1,
  about: 'the check of that name passed',
  fields: { name: need('text') },
  short: 'name',
  class: 'goal',
  goalOnly: true,
  priority: 60,
  where: 'loop',
  needsDirectory: true,
  judge: ({ name }, { checks }) => {
    const passed = ownFact(checks, name)?.passed;
    if (passed === undefined) return unknown(`the check ${name} was not run to its end`);
    return passed ? met(`the check ${name} passes`) : notMet(`the check ${name} fails`);
  },
  describe: ({ name }) => `when the check ${name} passes`,
  needs: ({ name }) => `the check ${name} to pass`,
} satisfies ConditionDefinition<CheckPasses>;

export const checkPasses = (name: string) => build<CheckPasses>(definition, { name });
