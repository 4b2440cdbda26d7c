import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { outside } from '../judging/outside.js';
import { probeAnswer } from '../judging/probe-answer.js';

export interface FileCreated {
  readonly type: 'file_created';
  readonly path: string;
}

export const definition = {
  type: 'file_created',
  version: 1,
  about: 'the file exists',
  fields: { path: need('path') },
  short: 'path',
  class: 'goal',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  probe: { cost: 0 },
  judge: (condition, facts) => probeAnswer(condition, facts, `whether ${condition.path} exists`),
  describe: ({ path }) => `when ${path} exists`,
  needs: ({ path }) => `${path} to exist`,
  warn: outside,
} satisfies ConditionDefinition<FileCreated>;

export const fileCreated = (path: string) => build<FileCreated>(definition, { path });
