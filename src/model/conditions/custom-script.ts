import { field, optional } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { probeAnswer } from '../judging/probe-answer.js';

export const customScript = defineCondition({
  type: 'custom_script',
  about: 'the script exits 0; its first line of output is the reason',
  fields: { script: field.path, args: optional(field.arguments), timeout: optional(field.duration) },
  make: (script: string, args?: readonly string[], options: { timeout?: string } = {}) => ({
    script,
    args,
    timeout: options.timeout,
  }),
  short: 'script',
  class: 'goal',
  priority: 30,
  where: 'loop',
  needsDirectory: true,
  needs: ({ script, args, timeout }) => ({ probe: { kind: 'program', script, args, timeout } }),
  quotes: true,
  judge: (condition, facts) => probeAnswer(condition, facts, `the script ${condition.script}`),
  describe: ({ script, args = [] }) => `when ${[script, ...args].join(' ')} exits 0`,
  takes: ({ script }) => `${script} to exit 0`,
});
