import { headOf } from './cut-text.js';
import { closingSentences, type Sentence, sentencesOf } from './closing-sentences.js';

/** What an agent needs from a person, by its last message. */
export interface PersonRequest {
  /** `request`: an answer, a choice, a permission, a credential, a missing file. `impossible`: it cannot be done. */
  readonly kind: 'request' | 'impossible';
  readonly sentence: string;
}

const SENTENCE_CHARACTERS = 400;

/** What a person has and an agent may lack. */
const NEEDED =
  '(?:decision|answer|choice|approval|permissions?|confirmation|consent|clarification|input|guidance|direction|instructions?|' +
  'feedback|preference|go-ahead|sign-off|help|access|credentials?|password|passphrase|secrets?|tokens?|' +
  '(?:api |access |private |secret |license |ssh |encryption )?keys?|login|account|url|link|address|' +
  'files?|dataset|data|(?:more |further |additional )?(?:information|info|details|context)|requirements?|specification)';
const CONTINUE =
  '(?:continue|proceed|go on|go ahead|go any further|go further|move forward|move on|carry on|finish|complete|start|begin|advance|progress)';
const GIVE =
  '(?:provide|supply|send|share|upload|attach|paste|specify|clarify|confirm|choose|decide|pick|select|approve|authori[sz]e|grant|' +
  'advise|answer|reply|respond|tell me|point me|give me|indicate)';
/** Also what a person is asked to do after finished work. */
const DO =
  '(?:add|set|put|install|enable|configure|create|export|allow|place|fill in|log in|sign in|start|restore|fix|make|run|update|define|copy)';
const CANNOT =
  "(?:can't|cannot|can not|couldn't|could not|am unable to|'m unable to|am not able to|'m not able to|won't be able to)";

/** The agent offers more after its work, or is polite. */
const OFFERS: readonly RegExp[] = [
  /\blet me know (?:if|when|whether) (?:you|there|anything|any|something|this|that|it|everything)\b/,
  /\bfeel free\b/,
  /\bif you(?:'d| would)? (?:want|like|need|prefer|have any|wish|run into|encounter|notice|decide)\b/,
  /\bshould you (?:need|want|have|wish)\b/,
  /\b(?:anything|something) else\b/,
  /\bany (?:questions|other|further|additional|more)\b/,
  /\bhappy to\b|\bglad to\b/,
  /\bplease (?:note|see|review|refer|find|keep|be aware|remember|enjoy|visit|check)\b/,
];

/** The agent itself depends on a person: it says so in the first person, or addresses the person. */
const DEPENDS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:i|we)(?:'ll| will|'d| would| still| also| first| really| do)* (?:need|require|want) (?:you\\b|your\\b|from you\\b)`,
  ),
  new RegExp(
    `\\b(?:i|we)(?:'ll| will|'d| would| still| also| first| only| just)* (?:need|require) (?:[\\w'’/.-]+ ){0,5}?${NEEDED}\\b`,
  ),
  new RegExp(
    `\\b(?:your|human|manual|user|a person's) ${NEEDED} (?:is|are|would be) (?:still )?(?:needed|required|necessary|missing)`,
  ),
  new RegExp(`\\b(?:needs?|requires?|depends? on|pending|subject to) your ${NEEDED}\\b`),
  new RegExp(`\\b(?:i|we) ${CANNOT} ${CONTINUE}\\b.*\\b(?:without|until|unless|before|because|since|as)\\b`),
  new RegExp(`^(?:[\\w ]+: )?(?:${CANNOT}|unable to|not able to) ${CONTINUE}\\b.*\\b(?:without|until|unless)\\b`),
  new RegExp(
    `\\b(?:i|we)(?:'m| am|'re| are)?(?: now| currently| still)* (?:waiting|wait|awaiting|blocked|stuck|paused|stopped|stopping|on hold|holding)\\b.*\\b(?:you|your|an? (?:answer|decision|reply|response|person|human))\\b`,
  ),
  /^(?:still |now |currently )?(?:waiting|awaiting|blocked|paused|on hold)\b.*\b(?:you|your|decision|answer|reply|response|confirmation|approval)\b/,
  new RegExp(
    `\\b(?:until|unless|once|when|after|as soon as) you(?:'ve| have)? (?:${GIVE}|provided?|confirmed|chosen|chose|decided|answered|approved|granted|replied|responded|added|installed|set)\\b.*\\b(?:i|we)(?:'ll| will| can|'d| could)\\b`,
  ),
  new RegExp(
    `\\b(?:i|we)(?:'ll| will| can|'d| could| am going to)? (?:${CONTINUE}|resume|implement|do)\\b.*\\b(?:once|when|after|as soon as|until|unless) you\\b`,
  ),
  new RegExp(
    `\\b(?:you|your|please|which|should|what|how|confirm)\\b.*\\bbefore (?:i|we) (?:can |may |could |will )?(?:${CONTINUE}|implement|make|do|change|touch|write|delete|run|apply|merge|deploy|push)\\b`,
  ),
  /\b(?:you|please)\b.*\b(?:so (?:that )?(?:i|we) can|for me to|to let me|to allow me to)\b/,
  /\b(?:grant|give|allow) me (?:the )?(?:permission|access|rights)\b/,
];

/** The person is asked for something, or to choose. After finished work the same words explain how to use it. */
const ASKS: readonly RegExp[] = [
  new RegExp(`\\bplease (?:\\w+ ){0,2}?${GIVE}\\b`),
  new RegExp(`\\b(?:can|could|would|will) you (?:please |kindly |also )?${GIVE}\\b`),
  /\b(?:please )?let me know (?:which|what|how|where|who|whether (?:i|to))\b/,
  /\b(?:tell me|advise|decide|choose) (?:which|what|how|where|whether)\b/,
  /\b(?:reply|respond|answer) with\b/,
  /\bwhich\b.*\b(?:should i|do you (?:want|prefer|like|mean)|would you (?:like|prefer)|shall i|to use)\b.*\?/,
  /\b(?:how|what|where)\b.*\b(?:should i|shall i|do you want (?:me )?to|would you like (?:me )?to|would you prefer|do you prefer)\b.*\?/,
  /\b(?:should|shall) (?:i|we)\b.*\bor\b.*\?/,
  /\bdo you (?:want|prefer)\b.*\bor\b.*\?/,
  /\bwould you (?:like|prefer)\b.*\bor\b.*\?/,
  /\bwhat is (?:the|your)\b.*\?$/,
  /\bdo you have\b.*\?$/,
];

/** A mere question, or an instruction. It counts only where the agent says that something stops it. */
const LEANS: readonly RegExp[] = [
  /\b(?:would you like|do you want|shall i|should i|may i|can i|is it (?:ok|okay|fine)|are you (?:ok|okay))\b.*\?/,
  new RegExp(`\\bplease (?:\\w+ ){0,2}?${DO}\\b`),
  new RegExp(`\\bif you (?:can |could |are able to )?(?:${GIVE}|${DO})\\b.*\\b(?:i|we)(?:'ll| will| can|'d| could)\\b`),
  new RegExp(`\\byou(?:'ll| will)? (?:need|have|must)(?: to)? (?:${GIVE}|${DO})\\b`),
];

/** Something outside stops the agent, and it says so. */
const STOPPED: readonly RegExp[] = [
  new RegExp(`\\b(?:i|we) (?:still )?${CANNOT}\\b`),
  /\b(?:i|we) (?:was|were|am|are)(?:n't| not) able to\b|\b(?:i|we) (?:was|were) unable to\b/,
  /\b(?:i|we) (?:don't|do not|lack|have no) (?:have |the )?(?:access|permission|credentials?|the|a|any|enough|necessary|required)?\b/,
  /\b(?:is|are|was|were) (?:still |currently )?(?:missing|not set|unset|not available|unavailable|not provided|not accessible|inaccessible|denied|blocked)\b/,
  /\b(?:permission|access) (?:is |was )?denied\b|\bblocked\b/,
  /\bunable to (?:access|reach|connect|download|find|locate|read|open|install|proceed|continue|complete)\b/,
];

/** The task as a whole cannot be done. */
const IMPOSSIBLE: readonly RegExp[] = [
  /\b(?:this|the|your|that) (?:\w+ ){0,3}?(?:task|request|goal|challenge|assignment|requirement|problem|work)s? (?:\w+ )?(?:cannot|can't|can not|could not) be (?:\w+ )?(?:done|completed|finished|solved|achieved|fulfilled|satisfied|met|accomplished|performed|carried out)\b/,
  /\b(?:task|request|goal|challenge|assignment|requirement)s? (?:is|are|appears?(?: to be)?|seems?(?: to be)?) (?:\w+ )?(?:impossible|infeasible|unachievable|not possible|not feasible|not achievable|unsolvable|not solvable)\b/,
  /\b(?:it is|it's|it was|this is|that is) (?:\w+ )?(?:impossible|not possible|infeasible|not feasible) (?:for me )?to (?:\w+ )?(?:complete|finish|do|solve|achieve|fulfil|accomplish|perform|carry out)\b/,
  new RegExp(
    `\\b(?:i|we) (?:${CANNOT}|(?:was|were|am|are)(?:n't| not) able to|(?:was|were) unable to) (?:\\w+ )?(?:complete|finish|do|solve|achieve|fulfil|accomplish|perform|carry out|help with|assist with) (?:this|the|your|that)\\b`,
  ),
  /\bthere (?:is|was) no (?:legitimate |possible |practical |known )?way (?:for me )?to (?:complete|finish|do|solve|achieve|accomplish)\b/,
  /\bcannot be (?:done|completed|accomplished|achieved) (?:in|with|on|under|within) (?:this|the|these)\b/,
];

/** The work is finished, as the agent says. */
const FINISHED: readonly RegExp[] = [
  /\ball (?:\w+ ){0,3}?(?:tests?|checks?) (?:now )?(?:pass|passed|succeed|are (?:now )?(?:passing|green))\b/,
  /\b(?:successfully|task complete|task completed|all done|✅)\b|✅/,
  /\b(?:task|work|implementation|feature|solution|everything|setup|project|it|script|program|all)(?:'s| is| are| has been| have been)(?: now| all| been| fully)* (?:complete|completed|done|finished|ready|in place|implemented|working)\b/,
  /\b(?:i|we)(?:'ve| have)(?: now| also| successfully)? (?:implemented|completed|finished|created|added|fixed|built|written|updated|solved|set up)\b/,
  /^(?:done|completed|finished)\b/,
];

const isIn =
  (rules: readonly RegExp[]) =>
  ({ words }: Sentence) =>
    rules.some((rule) => rule.test(words));
const [isOffer, isDependence, isAsked, isLeaning] = [isIn(OFFERS), isIn(DEPENDS), isIn(ASKS), isIn(LEANS)];
const [isStopped, isImpossible, isFinished] = [isIn(STOPPED), isIn(IMPOSSIBLE), isIn(FINISHED)];

/**
 * Whether an agent that ended its turn depends on a person. A question mark alone never says so: the agent has to say
 * that it depends on the answer, or ask for a choice or a thing without reporting finished work.
 */
export function asksPerson(message: string): PersonRequest | undefined {
  const all = sentencesOf(message);
  const closing = closingSentences(all);
  const mayAsk = closing.filter((sentence) => !isOffer(sentence));
  const stops = closing.some((sentence) => isStopped(sentence));
  const isDone = all.some((sentence) => isFinished(sentence));
  const found =
    mayAsk.findLast(isDependence) ??
    (stops || !isDone ? mayAsk.findLast(isAsked) : undefined) ??
    (stops && !isDone ? mayAsk.findLast(isLeaning) : undefined);
  if (found !== undefined) return { kind: 'request', sentence: withContext(found, closing) };
  const verdict = closing.findLast(isImpossible);
  return verdict === undefined
    ? undefined
    : { kind: 'impossible', sentence: headOf(verdict.text, SENTENCE_CHARACTERS) };
}

/** "I need your decision" says little without the question before it or the request after it. */
function withContext(found: Sentence, closing: readonly Sentence[]): string {
  const at = closing.indexOf(found);
  const isPart = (sentence: Sentence | undefined) =>
    sentence?.line === found.line &&
    !isOffer(sentence) &&
    [isDependence, isAsked, isLeaning, isStopped].some((is) => is(sentence));
  const parts = [closing[at - 1], found, closing[at + 1]].filter((sentence) => sentence === found || isPart(sentence));
  return headOf(parts.map((sentence) => sentence?.text).join(' '), SENTENCE_CHARACTERS);
}
