import { list } from '../figures.js';
import { met } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { probeAnswer } from '../judging/probe-answer.js';
import { untracked } from '../judging/untracked.js';

export interface ProtectedPathChanged {
  readonly type: 'protected_path_changed';
  readonly paths: readonly string[];
}

export const definition = {
  type: 'protected_path_changed',
  version: 1,
  about: 'the agent changed a file that one of the globs names',
  fields: { paths: need('texts') },
  short: 'paths',
  class: 'veto',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  quotes: true,
  judge: (condition, facts) => {
    const answer = probeAnswer(condition, facts, `whether ${condition.paths.join(', ')} changed`);
    if (!answer.isMet) return answer;
    return met((answer.reason ?? '').replace(/^(.+) changed$/, 'protected files changed: $1'));
  },
  describe: ({ paths }) => `when the agent changes ${list(paths, 10)}`,
  needs: ({ paths }) => `a change of ${list(paths)}`,
  warn: untracked,
} satisfies ConditionDefinition<ProtectedPathChanged>;

/** A veto: met together with a goal, the goal does not count. */
export const protectedPathChanged = (paths: readonly string[]) => build<ProtectedPathChanged>(definition, { paths });
