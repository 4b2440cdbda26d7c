import { ofLimit, plural, quote, unitOf } from '../figures.js';
import { type Answer, met, notMet, reached, unknown, ownFact } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition, type ValuesOf } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { measure } from '../judging/measure.js';

/** Once may be politeness. An agent that asks the same way again has nothing else to do. */
const REQUESTS = 2;
/** What is written next to so many requests does not replace the answer. */
const INSISTENT_REQUESTS = 5;
const QUOTED_CHARACTERS = 300;
/** What a person has to install, or sign in to. */
const MISSING_V2 =
  /command not found|\bsh: .*: not found|not (?:been )?installed|is not recognized as|not (?:logged|signed) in|\b(?:log|sign) in (?:first|to)\b|login required|authentication (?:failed|required)|unauthori[sz]ed|\b401\b|credentials? (?:are |were |is )?(?:missing|required|not found|expired|invalid)|no (?:valid )?(?:credentials?|api key|access token)|active account|permission denied \(publickey|could not read (?:username|password)/i;
/** In the words of npm, AWS, Docker, databases, git and others. */
const MISSING = new RegExp(
  `${MISSING_V2.source}|\\bE401\\b|\\bENEEDAUTH\\b|unable to authenticate|must be logged in|requires you to be logged in|unable to locate credentials|no valid credential|security token included in the request|requested access to the resource is denied|no basic auth credentials|access denied for user|basic: access denied|(?:invalid|incorrect) (?:x-)?api[ -]key|\\brun\\W{1,5}[\\w-]+ (?:[\\w-]+ )?login\\b`,
  'i',
);

const fields = { requests: optional(field.count) };

type NeedsPerson = ValuesOf<typeof fields>;

/** Stops when the agent depends on a person: it reports that it is blocked, or asks in iteration after iteration. */
export const needsPerson = defineCondition({
  type: 'needs_person',
  // Since version 2 five requests in a row of an agent that cannot continue are enough, whatever was written.
  // Since version 3 it knows more of the words by which tools say that a login is missing, and asks for no progress meanwhile.
  version: 3,
  earlier: {
    1: { judge: (condition, facts) => judged(condition, facts, lacksV2, Number.POSITIVE_INFINITY) },
    2: { judge: (condition, facts) => judged(condition, facts, lacksV2) },
  },
  about:
    'the agent reported that it is blocked, this many iterations in a row (2) ended with a request to a person, or a program or login is missing',
  fields,
  make: (requests?: number) => ({ requests }),
  short: 'requests',
  class: 'blocked',
  priority: 70,
  where: 'loop',
  // An answer of a person is what it takes, in whatever list it is.
  shownClass: 'blocked',
  quotes: true,
  evidence: 'agent',
  judge: (condition, facts) => judged(condition, facts, lacks),
  describe: ({ requests = REQUESTS }, unit) =>
    `when the agent reports that it is blocked, asks a person for something in ${plural(requests, unit)} in a row, or lacks a program or a login`,
  measure: ({ requests = REQUESTS }, { streaks }) => measure(streaks.requests, requests, 'iterations'),
  takesMore: (left, _condition, facts) =>
    `${plural(left, `more ${unitOf(facts)}`)} that ${left === 1 ? 'ends' : 'end'} with a request to a person`,
  takes: () => 'the agent to report that it is blocked, or to keep asking a person',
});

function judged(
  { requests: limit = REQUESTS }: NeedsPerson,
  facts: Facts,
  lackIn: typeof lacks,
  insistent = INSISTENT_REQUESTS,
): Answer {
  if (facts.isAnswerExpected === true) return notMet('the agent asked a person, and the run waits for the answer');
  const blocked = ownFact(facts.claims, 'blocked');
  if (blocked !== undefined) return met(needText(blocked));
  const missing = lackIn(facts, limit);
  return missing === undefined
    ? requestAnswer(limit, facts, insistent)
    : met(`a program or a login is missing: ${quote(missing, QUOTED_CHARACTERS)}`);
}

/** A program or a login that the agent's tools miss again and again, while it finds nothing else to do. */
function lacks(facts: Facts, limit: number): string | undefined {
  return (facts.streaks.withoutProgress ?? 0) > limit ? lacksV2(facts, limit, MISSING) : undefined;
}

/** It may have found something else to do before the last iteration. */
function lacksV2({ streaks, newContent }: Facts, limit: number, words = MISSING_V2): string | undefined {
  if (newContent !== false) return undefined;
  return Object.values(streaks.toolFailures ?? {}).find(({ count, text }) => count > limit && words.test(text))?.text;
}

/** An agent that still changes something that counts may have found something else to do, but not for ever. */
function requestAnswer(limit: number, facts: Facts, insistent: number): Answer {
  const { requests, lastRequest } = facts.streaks;
  if (requests === undefined) return unknown('whether the agent asks a person for something is not known');
  const answer = reached(requests, limit, (value) =>
    value === 0
      ? 'the agent has not asked a person for anything'
      : `the agent asked a person for something in ${ofLimit(value, limit, unitOf(facts))} in a row`,
  );
  if (!answer.isMet) return answer;
  const { changedNothing, isStuck, kind, sentence = '' } = lastRequest ?? {};
  if (changedNothing === undefined)
    return unknown('the agent asks a person for something; whether it changed anything is not known');
  if (!changedNothing && (requests < insistent || isStuck !== true))
    return notMet('the agent asks a person for something, and still changes files');
  return met(
    kind === 'impossible'
      ? `the agent says that it cannot be done: ${quote(sentence, QUOTED_CHARACTERS)}`
      : needText(sentence),
  );
}

/** The status line without anything that the agent needs. */
const BARE_NEED = /^\W*pawl\W+(?:needs?|blocked)\W*$/i;

function needText(words: string): string {
  if (BARE_NEED.test(words)) return 'the agent needs something from you, but does not say what';
  return `the agent needs you: ${quote(words, QUOTED_CHARACTERS)}`;
}
