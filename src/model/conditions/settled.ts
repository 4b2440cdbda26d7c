import { type Answer, met, notMet as notMetWith, unknown } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition, type ValuesOf } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { allPassed } from '../test-results.js';

const fields = { only_after_green_start: optional(field.flag) };

type Settled = ValuesOf<typeof fields>;

/** The second half of a goal: combine it with a condition that verifies the work. */
export const settled = defineCondition({
  type: 'settled',
  // Since version 2 only what the agent changed is a change since the start, and one iteration without changes is not enough.
  version: 2,
  earlier: {
    1: { judge: (condition, facts) => judged(condition, facts, facts.differsFromStart) ?? byOneIteration(facts) },
  },
  about:
    'the agent says that it is done, or two iterations in a row changed nothing more; use it with a condition that verifies',
  fields,
  make: (options: { onlyAfterGreenStart?: boolean } = {}) => ({ only_after_green_start: options.onlyAfterGreenStart }),
  class: 'goal',
  goalOnly: true,
  priority: 50,
  where: 'loop',
  needsDirectory: true,
  evidence: 'agent',
  unprompted: true,
  judge: (condition, facts) => judged(condition, facts, facts.agentChangedSomething) ?? byQuietIterations(facts),
  describe: ({ only_after_green_start }) =>
    only_after_green_start === true
      ? 'when, after a green start, the agent says it is done or changes nothing more'
      : 'when the agent says it is done or changes nothing more',
  takes: (_condition, { agentChangedSomething }) =>
    agentChangedSomething === false
      ? 'the agent to change something that counts'
      : 'the agent to say that it is done, or to change nothing more',
});

/** While the work is not verified, whether the agent has finished is no news. */
const notMet = (reason: string) => notMetWith(reason, undefined, { isImplied: true });

/** An agent that only reads may continue in the next iteration. One that is done stays quiet. */
const QUIET_ITERATIONS = 2;

function judged(
  { only_after_green_start }: Settled,
  facts: Facts,
  hasChanged: boolean | undefined,
): Answer | undefined {
  const { baselineTests, claims } = facts;
  if (only_after_green_start === true && (baselineTests === undefined || !allPassed(baselineTests)))
    return met('not required, because the tests did not pass at the start', { isImplied: true });
  if ((facts.iteration ?? 0) === 0) return notMet('no iteration has ended yet');
  if (facts.isAccepted === true) return met('you have accepted it');
  if (hasChanged === false) return notMet('nothing has changed since the start');
  if (claims?.blocked !== undefined) return notMet('the agent needs a person');
  if (facts.saysDone !== undefined) return met('the agent says it is done');
  if (claims?.continue !== undefined) return notMet('the agent says that more work is left');
  return undefined;
}

function byQuietIterations({ isQuiet, streaks }: Facts): Answer {
  if (isQuiet === undefined) return unknown('whether the last iteration changed anything is not known');
  if (isQuiet === false) return notMet('the agent has not said that it is done');
  if (isQuiet === 'finished') return met('the agent reports finished work and changed nothing more');
  return (streaks.quiet ?? 0) >= QUIET_ITERATIONS
    ? met(`the last ${QUIET_ITERATIONS} iterations changed nothing more`)
    : notMet('the agent has not said that it is done, and only one iteration changed nothing more');
}

function byOneIteration({ isIdle }: Facts): Answer {
  if (isIdle === undefined) return unknown('whether the last iteration changed anything is not known');
  return isIdle ? met('the last iteration changed nothing more') : notMet('the agent has not said that it is done');
}
