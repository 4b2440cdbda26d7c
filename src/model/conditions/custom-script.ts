import { build } from '../judging/build.js';
import { type ConditionDefinition, may, need } from '../judging/condition-definition.js';
import { probeAnswer } from '../judging/probe-answer.js';

export interface CustomScript {
  readonly type: 'custom_script';
  readonly script: string;
  readonly args?: readonly string[] | undefined;
  readonly timeout?: string | undefined;
}

export const definition = {
  type: 'custom_script',
  version: 1,
  about: 'the script exits 0; its first line of output is the reason',
  fields: { script: need('path'), args: may('arguments'), timeout: may('duration') },
  short: 'script',
  class: 'goal',
  priority: 30,
  where: 'loop',
  needsDirectory: true,
  probe: { cost: 3 },
  program: ({ script, args = [] }) => [script, ...args],
  quotes: true,
  judge: (condition, facts) => probeAnswer(condition, facts, `the script ${condition.script}`),
  describe: ({ script, args = [] }) => `when ${[script, ...args].join(' ')} exits 0`,
  needs: ({ script }) => `${script} to exit 0`,
} satisfies ConditionDefinition<CustomScript>;

export const customScript = (script: string, args?: readonly string[], options: { timeout?: string } = {}) =>
  build<CustomScript>(definition, { script, args, timeout: options.timeout });
