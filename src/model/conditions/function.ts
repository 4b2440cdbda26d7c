import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { probeAnswer } from '../judging/probe-answer.js';

/** A function that code gives to `goal` or `failure`. */
export const namedFunction = defineCondition({
  type: 'function',
  about: 'the function with this name, defined in code, returned true',
  fields: { name: field.text },
  make: (name: string) => ({ name }),
  class: 'limit',
  neutral: true,
  priority: 30,
  where: 'both',
  onlyInCode: true,
  needs: ({ name }) => ({ probe: { kind: 'function', name } }),
  quotes: true,
  judge: (condition, facts) => probeAnswer(condition, facts, `the function ${condition.name}`),
  describe: ({ name }) => `when ${name}() returns true`,
  takes: ({ name }) => `${name}() to return true`,
});
