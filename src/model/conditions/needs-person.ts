import { ofLimit, plural, quote } from '../figures.js';
import { type Answer, met, notMet, reached, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, may } from '../judging/condition-definition.js';
import type { Facts } from '../judging/facts.js';
import { measure } from '../judging/measure.js';
import { ownFact } from '../judging/own-fact.js';
import { unitOf } from '../unit.js';

export interface NeedsPerson {
  readonly type: 'needs_person';
  readonly requests?: number | undefined;
}

/** Once may be politeness. An agent that asks the same way again has nothing else to do. */
const REQUESTS = 2;
const QUOTED_CHARACTERS = 300;
/** What a person has to install, or sign in to. */
const MISSING =
  /command not found|\bsh: .*: not found|not (?:been )?installed|is not recognized as|not (?:logged|signed) in|\b(?:log|sign) in (?:first|to)\b|login required|authentication (?:failed|required)|unauthori[sz]ed|\b401\b|credentials? (?:are |were |is )?(?:missing|required|not found|expired|invalid)|no (?:valid )?(?:credentials?|api key|access token)|active account|permission denied \(publickey|could not read (?:username|password)/i;

export const definition = {
  type: 'needs_person',
  version: 1,
  about:
    'the agent reported that it is blocked, this many iterations in a row (2) ended with a request to a person, or a program or login is missing',
  fields: { requests: may('count') },
  short: 'requests',
  class: 'blocked',
  priority: 70,
  where: 'loop',
  // An answer of a person is what it takes, in whatever list it is.
  shownClass: 'blocked',
  quotes: true,
  evidence: 'agent',
  judge: ({ requests: limit = REQUESTS }, facts) => {
    const blocked = facts.claims === undefined ? undefined : ownFact(facts.claims, 'blocked');
    if (blocked !== undefined) return met(needText(blocked));
    const missing = missingIn(facts, limit);
    return missing === undefined
      ? requestAnswer(limit, facts)
      : met(`something is missing: ${quote(missing, QUOTED_CHARACTERS)}`);
  },
  describe: ({ requests = REQUESTS }, unit) =>
    `when the agent reports that it is blocked, asks a person for something in ${plural(requests, unit)} in a row, or misses a program or login`,
  measure: ({ requests = REQUESTS }, { streaks }) => measure(streaks.requests, requests, 'iterations'),
  needsMore: (left, _condition, facts) =>
    `${plural(left, `more ${unitOf(facts)}`)} that ${left === 1 ? 'ends' : 'end'} with a request to a person`,
  needs: () => 'the agent to report that it is blocked, or to keep asking a person',
} satisfies ConditionDefinition<NeedsPerson>;

/** A program or a login that the agent's tools miss again and again, while it finds nothing else to do. */
function missingIn({ streaks, newContent }: Facts, limit: number): string | undefined {
  if (newContent !== false) return undefined;
  return Object.values(streaks.toolFailures ?? {}).find(({ count, text }) => count > limit && MISSING.test(text))?.text;
}

/** An agent that still changes something that counts has found something else to do. */
function requestAnswer(limit: number, facts: Facts): Answer {
  const { requests, lastRequest } = facts.streaks;
  if (requests === undefined) return unknown('whether the agent asks a person for something is not known');
  const answer = reached(requests, limit, (value) =>
    value === 0
      ? 'the agent has not asked a person for anything'
      : `the agent asked a person for something in ${ofLimit(value, limit, unitOf(facts))} in a row`,
  );
  if (!answer.isMet) return answer;
  if (lastRequest?.changedNothing === undefined)
    return unknown('the agent asks a person for something; whether it changed anything is not known');
  if (!lastRequest.changedNothing) return notMet('the agent asks a person for something, and still changes files');
  const { kind, sentence = '' } = lastRequest;
  return met(
    kind === 'impossible'
      ? `the agent says that it cannot be done: ${quote(sentence, QUOTED_CHARACTERS)}`
      : needText(sentence),
  );
}

function needText(words: string): string {
  return `the agent needs you: ${quote(words, QUOTED_CHARACTERS)}`;
}

/** Stops when the agent depends on a person: it reports that it is blocked, or asks in iteration after iteration. */
export const needsPerson = (requests?: number) => build<NeedsPerson>(definition, { requests });
