import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { probeAnswer } from '../judging/probe-answer.js';

export interface NamedFunction {
  readonly type: 'function';
  readonly name: string;
}

export const definition = {
  type: 'function',
  version: 1,
  about: 'the function of that name, given in code, said so',
  fields: { name: need('text') },
  class: 'limit',
  neutral: true,
  priority: 30,
  where: 'both',
  onlyInCode: true,
  probe: { cost: 2 },
  quotes: true,
  judge: (condition, facts) => probeAnswer(condition, facts, `the function ${condition.name}`),
  describe: ({ name }) => `when ${name}() says so`,
  needs: ({ name }) => `${name}() to say so`,
} satisfies ConditionDefinition<NamedFunction>;
