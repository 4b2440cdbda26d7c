import { list } from '../figures.js';
import { met } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { probeAnswer } from '../judging/probe-answer.js';

/** A veto: met together with a goal, the goal does not count. */
export const protectedPathChanged = defineCondition({
  type: 'protected_path_changed',
  about: 'the agent changed a file that one of the globs names',
  fields: { paths: field.texts },
  make: (paths: readonly string[]) => ({ paths }),
  short: 'paths',
  class: 'veto',
  priority: 40,
  where: 'loop',
  needsDirectory: true,
  needs: (guard) => ({ files: true, guard }),
  quotes: true,
  judge: (condition, facts) => {
    const answer = probeAnswer(condition, facts, `whether ${condition.paths.join(', ')} changed`);
    if (!answer.isMet) return answer;
    return met(answer.reason.replace(/^(.+) changed$/, 'protected files changed: $1'));
  },
  describe: ({ paths }) => `when the agent changes ${list(paths, 10)}`,
  takes: ({ paths }) => `a change of ${list(paths)}`,
});
