import { headOf } from './cut-text.js';
import * as phrases from './person-phrases.js';
import { closingSentences, type Sentence, sentencesOf } from './closing-sentences.js';

/** What an agent needs from a person, by its last message. */
export interface PersonRequest {
  /** `request`: an answer, a choice, a permission, a credential, a missing file. `impossible`: it cannot be done. */
  readonly kind: 'request' | 'impossible';
  readonly sentence: string;
}

const SENTENCE_CHARACTERS = 400;

const isIn =
  (...rules: readonly (readonly RegExp[])[]) =>
  ({ words }: Sentence) =>
    rules.flat().some((rule) => rule.test(words));
const [isOffer, isExtra, insists] = [isIn(phrases.OFFERS), isIn(phrases.OFFERS, phrases.EXTRAS), isIn(phrases.INSISTS)];
const [isDependence, isAsked, isLeaning] = [
  isIn(phrases.DEPENDS),
  isIn(phrases.INSISTS, phrases.ASKS),
  isIn(phrases.LEANS),
];
const [isStopped, isImpossible] = [isIn(phrases.STOPPED), isIn(phrases.IMPOSSIBLE)];
const isFinished = (sentence: Sentence) => isIn(phrases.FINISHED)(sentence) && !phrases.UNFINISHED.test(sentence.words);

/**
 * Whether an agent that ended its turn depends on a person. A question mark alone never says so: the agent has to say
 * that it depends on the answer, or ask for a choice or a thing without reporting finished work.
 */
export function asksPerson(message: string): PersonRequest | undefined {
  const all = sentencesOf(message);
  const closing = closingSentences(all);
  const found = requestIn(closing, all.some(isFinished));
  if (found !== undefined) return { kind: 'request', sentence: withContext(found, closing) };
  const verdict = closing.findLast(isImpossible);
  return verdict === undefined
    ? undefined
    : { kind: 'impossible', sentence: headOf(verdict.text, SENTENCE_CHARACTERS) };
}

function requestIn(closing: readonly Sentence[], isDone: boolean): Sentence | undefined {
  const isStuck = closing.some(isStopped);
  const asked = closing.filter((sentence) => insists(sentence) || !isExtra(sentence));
  return (
    closing.findLast((sentence) => isDependence(sentence) && !isOffer(sentence)) ??
    (isStuck || !isDone ? asked.findLast(isAsked) : undefined) ??
    (isStuck && !isDone ? asked.findLast(isLeaning) : undefined)
  );
}

/** "I need your decision" says little without the question before it or the request after it. */
function withContext(found: Sentence, closing: readonly Sentence[]): string {
  const at = closing.indexOf(found);
  const belongs = (sentence: Sentence) =>
    sentence.line === found.line &&
    !isOffer(sentence) &&
    [isDependence, isAsked, isLeaning, isStopped].some((is) => is(sentence));
  const parts = closing
    .slice(Math.max(0, at - 1), at + 2)
    .filter((sentence) => sentence === found || belongs(sentence));
  return headOf(parts.map(({ text }) => text).join(' '), SENTENCE_CHARACTERS);
}
