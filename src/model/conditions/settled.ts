import { met, notMet, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, may } from '../judging/condition-definition.js';
import { allPassed } from '../test-results.js';

export interface Settled {
  readonly type: 'settled';
  readonly only_after_green_start?: boolean | undefined;
}

export const definition = {
  type: 'settled',
  version: 1,
  about:
    'the agent says that it is done, or an iteration came to its end and changed no file; use it with a condition that verifies',
  fields: { only_after_green_start: may('flag') },
  class: 'goal',
  goalOnly: true,
  priority: 50,
  where: 'loop',
  needsDirectory: true,
  evidence: 'agent',
  judge: ({ only_after_green_start }, facts) => {
    const { baselineTests, claims, isIdle, differsFromStart } = facts;
    if (only_after_green_start === true && (baselineTests === undefined || !allPassed(baselineTests)))
      return met('the tests did not pass at the start', { isImplied: true });
    if ((facts.iteration ?? 0) === 0) return notMet('no iteration has ended yet');
    if (differsFromStart === false) return notMet('nothing has changed since the start');
    if (claims?.blocked !== undefined) return notMet('the agent needs a person');
    if (facts.saysDone !== undefined) return met('the agent says it is done');
    if (claims?.continue !== undefined) return notMet('the agent says that more work is left');
    if (isIdle === undefined) return unknown('whether the last iteration changed anything is not known');
    return isIdle ? met('the last iteration changed nothing more') : notMet('the agent has not said that it is done');
  },
  describe: ({ only_after_green_start }) =>
    only_after_green_start === true
      ? 'when, after a green start, the agent says it is done or changes nothing more'
      : 'when the agent says it is done or changes nothing more',
  needs: () => 'the agent to say that it is done, or to change nothing more',
} satisfies ConditionDefinition<Settled>;

/** The second half of a goal: combine it with a condition that verifies the work. */
export const settled = (options: { onlyAfterGreenStart?: boolean } = {}) =>
  build<Settled>(definition, { only_after_green_start: options.onlyAfterGreenStart });
