import { tailOf } from './cut-text.js';

/** A request that the rest of a message depends on is near its end. Options to choose from may follow it. */
const CLOSING_CHARACTERS = 1500;
/** Text before this is not read at all. */
const MESSAGE_CHARACTERS = 8000;

/** Of a longer sentence only the beginning is read, so that no rule takes long. */
const SENTENCE_CHARACTERS = 1000;

const FENCED = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2[^\n]*|$)/g;
/** Quotations of others: what a program prints, an error, a line of a file. */
const QUOTED_LINE = /^[ \t]*(?:>|\|).*$/gm;
const LIST_MARK = /^[ \t]*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|\[[ x]\])[ \t]+/i;
const QUOTED_WORDS = /`[^`\n]*`|"[^"\n]*"/g;
/** In place of each character of a quotation. */
const MASK = '\u0001';
const MASKED = new RegExp(`${MASK}+`, 'g');
const SENTENCE_END = /[.?!…][')\]]?[ \t]+(?=\S)/g;

export interface Sentence {
  /** As a person reads it. */
  readonly text: string;
  /** What rules read: lower case, without what the agent quotes. */
  readonly words: string;
  /** Sentences of one paragraph or list entry belong together. */
  readonly line: number;
}

/** The sentences of a message, without code and quotations. */
export function sentencesOf(message: string): readonly Sentence[] {
  const prose = tailOf(message, MESSAGE_CHARACTERS)
    .replace(FENCED, '$1')
    .replace(QUOTED_LINE, '')
    .replace(/\*\*|__/g, '');
  return prose.split(/\r?\n/).flatMap((line, index) => sentencesIn(line.replace(LIST_MARK, ''), index));
}

/** The end of a sentence inside a quotation is not the end of the agent's own. */
function sentencesIn(line: string, index: number): readonly Sentence[] {
  const masked = line
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201C\u201D]/g, '"')
    .replace(QUOTED_WORDS, (quotation) => MASK.repeat(quotation.length));
  const starts = [0, ...Array.from(masked.matchAll(SENTENCE_END), ({ index: at, 0: end }) => at + end.length)];
  return starts
    .map((start, number) => [start, starts[number + 1] ?? line.length] as const)
    .map(([from, to]) => ({ text: line.slice(from, to).trim(), words: wordsOf(masked.slice(from, to)), line: index }))
    .filter(({ words }) => /[a-z]/.test(words));
}

/** Those in the last part of the message, at least one. */
export function closingSentences(sentences: readonly Sentence[]): readonly Sentence[] {
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
  return masked.slice(0, SENTENCE_CHARACTERS).replace(MASKED, ' … ').replace(/\s+/g, ' ').trim().toLowerCase();
}
