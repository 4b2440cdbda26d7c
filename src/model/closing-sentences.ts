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
  return prose.split(/\r?\n/).flatMap((line, index) =>
    line
      .replace(LIST_MARK, '')
      .split(/(?<=[.?!…]["')\]]?)[ \t]+(?=\S)/)
      .map((text) => ({ text: text.trim(), words: wordsOf(text), line: index }))
      .filter(({ words }) => /[a-z]/.test(words)),
  );
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

function wordsOf(text: string): string {
  return text
    .slice(0, SENTENCE_CHARACTERS)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201C\u201D]/g, '"')
    .replace(QUOTED_WORDS, ' … ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
