import { quote } from '../figures.js';
import { field, optional } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { freshAnswer } from '../judging/probe-answer.js';

export const fileContains = defineCondition({
  type: 'file_contains',
  about: 'the file contains the text; with `fresh`, one from before the run counts only after it was written again',
  fields: { path: field.path, content: field.text, fresh: optional(field.flag) },
  make: (path: string, content: string, options: { fresh?: boolean } = {}) => ({ path, content, fresh: options.fresh }),
  class: 'goal',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  needs: ({ path, content, fresh }) => ({ probe: { kind: 'file', path, content, fresh } }),
  judge: (condition, facts) => {
    const { path, content } = condition;
    return freshAnswer(condition, facts, `whether ${path} contains ${quote(content, 40)}`);
  },
  describe: ({ path, content }) => `when ${path} contains ${quote(content)}`,
  takes: ({ path, content }) => `${path} to contain ${quote(content, 40)}`,
});
