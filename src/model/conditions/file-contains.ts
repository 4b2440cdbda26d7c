import { quote } from '../figures.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { outside } from '../judging/outside.js';
import { probeAnswer } from '../judging/probe-answer.js';

export interface FileContains {
  readonly type: 'file_contains';
  readonly path: string;
  readonly content: string;
}

export const definition = {
  type: 'file_contains',
  version: 1,
  about: 'the file holds the text',
  fields: { path: need('path'), content: need('text') },
  class: 'goal',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  probe: { cost: 1 },
  judge: (condition, facts) => {
    const { path, content } = condition;
    return probeAnswer(condition, facts, `whether ${path} holds ${quote(content, 40)}`);
  },
  describe: ({ path, content }) => `when ${path} holds ${quote(content)}`,
  needs: ({ path, content }) => `${path} to hold ${quote(content, 40)}`,
  warn: outside,
} satisfies ConditionDefinition<FileContains>;

export const fileContains = (path: string, content: string) => build<FileContains>(definition, { path, content });
