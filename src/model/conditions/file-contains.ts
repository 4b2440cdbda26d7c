import { quote } from '../figures.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, may, need } from '../judging/condition-definition.js';
import { outside } from '../judging/outside.js';
import { freshAnswer } from '../judging/probe-answer.js';

export interface FileContains {
  readonly type: 'file_contains';
  readonly path: string;
  readonly content: string;
  readonly fresh?: boolean | undefined;
}

export const definition = {
  type: 'file_contains',
  version: 1,
  about: 'the file contains the text; with `fresh`, one from before the run counts only after it was written again',
  fields: { path: need('path'), content: need('text'), fresh: may('flag') },
  class: 'goal',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  probe: { cost: 1 },
  judge: (condition, facts) => {
    const { path, content } = condition;
    return freshAnswer(condition, facts, `whether ${path} holds ${quote(content, 40)}`);
  },
  describe: ({ path, content }) => `when ${path} holds ${quote(content)}`,
  needs: ({ path, content }) => `${path} to hold ${quote(content, 40)}`,
  warn: outside,
} satisfies ConditionDefinition<FileContains>;

export const fileContains = (path: string, content: string, options: { fresh?: boolean } = {}) =>
  build<FileContains>(definition, { path, content, fresh: options.fresh });
