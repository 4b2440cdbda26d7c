import { field, optional } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { freshAnswer } from '../judging/probe-answer.js';

export const fileCreated = defineCondition({
  type: 'file_created',
  about: 'the file exists; with `fresh`, one from before the run counts only after it was written again',
  fields: { path: field.path, fresh: optional(field.flag) },
  make: (path: string, options: { fresh?: boolean } = {}) => ({ path, fresh: options.fresh }),
  short: 'path',
  class: 'goal',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  needs: ({ path, fresh }) => ({ probe: { kind: 'file', path, fresh } }),
  judge: (condition, facts) => freshAnswer(condition, facts, `whether ${condition.path} exists`),
  describe: ({ path, fresh }) => `when ${path} ${fresh === true ? 'is written' : 'exists'}`,
  takes: ({ path }) => `${path} to exist`,
});
