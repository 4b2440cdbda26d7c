import { build } from '../judging/build.js';
import { type ConditionDefinition, may, need } from '../judging/condition-definition.js';
import { outside } from '../judging/outside.js';
import { freshAnswer } from '../judging/probe-answer.js';

export interface FileCreated {
  readonly type: 'file_created';
  readonly path: string;
  readonly fresh?: boolean | undefined;
}

export const definition = {
  type: 'file_created',
  version: 1,
  about: 'the file exists; with `fresh`, one from before the run counts only after it was written again',
  fields: { path: need('path'), fresh: may('flag') },
  short: 'path',
  class: 'goal',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  probe: { cost: 0 },
  judge: (condition, facts) => freshAnswer(condition, facts, `whether ${condition.path} exists`),
  describe: ({ path, fresh }) => `when ${path} ${fresh === true ? 'is written' : 'exists'}`,
  needs: ({ path }) => `${path} to exist`,
  warn: outside,
} satisfies ConditionDefinition<FileCreated>;

export const fileCreated = (path: string, options: { fresh?: boolean } = {}) =>
  build<FileCreated>(definition, { path, fresh: options.fresh });
