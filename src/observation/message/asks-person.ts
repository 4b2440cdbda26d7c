import { headOf, tailOf } from '../../model/figures.js';
import type { SeenRequest } from '../../model/observation.js';
import * as phrases from './person-phrases.js';

/** A request that the rest of a message depends on is near its end. Options to choose from may follow it. */
const CLOSING_CHARACTERS = 1500;
/** Text before this is not read at all. */
const MESSAGE_CHARACTERS = 8000;
/** Of a longer sentence only the beginning is read, so that no rule takes long. */
const READ_CHARACTERS = 1000;
/** As much of a request is recorded. */
const RECORDED_CHARACTERS = 400;

const FENCED = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2[^\n]*|$)/g;
/** Quotations of others: what a program prints, an error, a line of a file. */
const QUOTED_LINE = /^[ \t]*(?:>|\|).*$/gm;
const LIST_MARK = /^[ \t]*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|\[[ x]\])[ \t]+/i;
/** In one line, with apostrophes inside of words. Then what is left over: a quotation of several lines. */
const QUOTED_WORDS = [/`[^`\n]*`|"[^"\n]*"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)/g, /"[^"]*"/g];
/** In place of each character of a quotation. */
const MASK = '\u0001';
const MASKED = new RegExp(`${MASK}+`, 'g');
const SAYING =
  '(?:\\b(?:texts?|strings?|messages?|labels?|titles?|placeholders?|captions?)(?: (?:is|are|now|says?|reads?))*|' +
  '\\b(?:says|reads|shows|displays|replies|states|now asks|asks (?:the|its|a) \\w+)):';
/** The words of what the agent builds: "The hint says: ...". */
const REPORTED = new RegExp(`(${SAYING}) .*$`);
/** Below it they are listed. */
const LISTED = new RegExp(`${SAYING}\\s*$`, 'i');
const ENTRY = /^(?:[ \t]{2,}|[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t])/;
const SENTENCE_END = /[.?!…][')\]]?[ \t]+(?=\S)/g;

interface Sentence {
  /** As a person reads it. */
  readonly text: string;
  /** What rules read: lower case, without what the agent quotes. */
  readonly words: string;
  /** Sentences of one paragraph or list entry belong together. */
  readonly line: number;
}

const isIn =
  (...rules: readonly (readonly RegExp[])[]) =>
  ({ words }: Sentence) =>
    rules.flat().some((rule) => rule.test(words));
const [isOffer, isExtra, insists] = [isIn(phrases.OFFERS), isIn(phrases.OFFERS, phrases.EXTRAS), isIn(phrases.INSISTS)];
const [isDependence, isAsked, isLeaning] = [
  isIn(phrases.DEPENDS, phrases.CHOICES),
  isIn(phrases.INSISTS, phrases.ASKS),
  isIn(phrases.LEANS),
];
const [isStopped, isImpossible] = [isIn(phrases.STOPPED), isIn(phrases.IMPOSSIBLE)];
const isWaiting = isIn(phrases.DEPENDS, phrases.STOPPED);
const isFinished = (sentence: Sentence) => isIn(phrases.FINISHED)(sentence) && !phrases.UNFINISHED.test(sentence.words);

/**
 * Whether an agent that ended its turn depends on a person. A question mark alone never says so: the agent has to say
 * that it depends on the answer, or ask for a choice or a thing without reporting finished work.
 */
export function asksPerson(message: string): SeenRequest | undefined {
  const all = sentencesOf(message);
  // Every phrase has a space, and to compile the phrases takes 35 ms.
  if (!all.some(({ words }) => words.includes(' '))) return undefined;
  const closing = closingSentences(all);
  const found = requestIn(closing, all.some(isFinished));
  if (found !== undefined) {
    const isStuck = closing.some((sentence) => isWaiting(sentence) && !isOffer(sentence));
    return { kind: 'request', sentence: withContext(found, closing), ...(isStuck ? { isStuck } : {}) };
  }
  const verdict = closing.findLast(isImpossible);
  return verdict === undefined
    ? undefined
    : { kind: 'impossible', sentence: headOf(verdict.text, RECORDED_CHARACTERS) };
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
  return headOf(parts.map(({ text }) => text).join(' '), RECORDED_CHARACTERS);
}

/** The sentences of a message, without code and quotations. */
function sentencesOf(message: string): readonly Sentence[] {
  const prose = tailOf(message, MESSAGE_CHARACTERS)
    .replace(/\r\n/g, '\n')
    .replace(FENCED, '$1')
    .replace(QUOTED_LINE, '')
    .replace(/\*\*|__/g, '');
  const masked = withoutQuotations(prose).split('\n');
  let isQuoting = false;
  return prose.split('\n').flatMap((line, index) => {
    if (line.trim() !== '' && !ENTRY.test(line)) isQuoting = LISTED.test(line);
    else if (isQuoting) return [];
    const mark = LIST_MARK.exec(line)?.[0].length ?? 0;
    return sentencesIn(line.slice(mark), (masked[index] ?? '').slice(mark), index);
  });
}

function withoutQuotations(prose: string): string {
  const straight = prose.replace(/[\u2018\u2019]/g, "'").replace(/[\u201C-\u201E\u00AB\u00BB]/g, '"');
  return QUOTED_WORDS.reduce(
    (text, words) => text.replace(words, (quotation) => quotation.replace(/[^\n]/g, MASK)),
    straight,
  );
}

/** The end of a sentence inside a quotation is not the end of the agent's own. */
function sentencesIn(line: string, masked: string, index: number): readonly Sentence[] {
  const starts = [0, ...Array.from(masked.matchAll(SENTENCE_END), ({ index: at, 0: end }) => at + end.length)];
  return starts
    .map((start, number) => [start, starts[number + 1] ?? line.length] as const)
    .map(([from, to]) => ({ text: line.slice(from, to).trim(), words: wordsOf(masked.slice(from, to)), line: index }))
    .filter(({ words }) => /[a-z]/.test(words));
}

/** Those in the last part of the message, at least one. */
function closingSentences(sentences: readonly Sentence[]): readonly Sentence[] {
  const closing: Sentence[] = [];
  let characters = 0;
  for (const sentence of sentences.toReversed()) {
    characters += sentence.text.length;
    if (closing.length > 0 && characters > CLOSING_CHARACTERS) break;
    closing.unshift(sentence);
  }
  return closing;
}

function wordsOf(masked: string): string {
  const words = masked.slice(0, READ_CHARACTERS).replace(MASKED, ' … ').replace(/\s+/g, ' ').trim().toLowerCase();
  return words.replace(REPORTED, '$1 …');
}
