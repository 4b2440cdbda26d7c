import { headOf, tailOf } from '../../model/figures.js';
import type { Claim, ClaimType } from '../../model/claim.js';
import { plainLines } from '../plain-lines.js';
import { doneInWords, leavesSomethingOpen } from './done-words.js';

/** What the prompt ends with. Its own last line is no status line, so that an echo of it claims nothing. */
export const STATUS_LINE_PROMPT = `## Status line

The program that runs you reads the last line of your last message. End that message with exactly one of these lines:
\`PAWL: DONE\` if everything asked for is finished
\`PAWL: CONTINUE\` if more work is left
\`PAWL: NEEDS <what you need>\` if only a person can help
Write nothing after it.`;

/** What is read of a message: its end. */
const READ_CHARACTERS = 16 * 1024;
const EVIDENCE_CHARACTERS = 500;
const NEED_CHARACTERS = 2000;
const NEED_LINES = 20;

const KEYWORDS: Readonly<Record<string, ClaimType>> = {
  done: 'done',
  continue: 'continue',
  need: 'blocked',
  needs: 'blocked',
  blocked: 'blocked',
};
/** Markdown and symbols that may surround it. A quote (`>`) is not the agent's own. */
const STATUS =
  /^(?:[\s*_`#~•-]|\p{Extended_Pictographic}|\u{FE0F})*(?:(?:final )?status[\s*_`]*:[\s*_`]*)?pawl[\s*_`]*[:：][\s*_`]*(done|continue|needs?|blocked)(?![\w/|-])(.*)$/iu;
/** Why it is done, in brackets or after a dash. */
const REMARK = /^[\s*_`]*(?:\(.*\)|[–—:;,.-]\s.*)$/u;
const TRAILING = /(?:[\s*_`~.!]|\p{Extended_Pictographic}|\u{FE0F})+$/u;
/** Prompts that were written for other runners ask for these. */
const MARKER = /^[\s*_`]*(?:<promise>COMPLETE<\/promise>|LOOP_COMPLETE)[\s*_`.!]*$/;
/** Rules, signatures, thanks and what an agent CLI prints of its usage are not part of the message above them. */
const BELOW =
  /^\s*(?:tokens used:?|[\d.,]+k?|(?:tokens|total|cost|usage|duration)\b[^:]*:.*\d.*)\s*$|^\s*(?:-{3,}|\*{3,}|_{3,}|—+)?\s*$|^[^\p{L}]*(?:generated (?:with|by)|co-authored-by:)(?=\W).*$|^\W*(?:thank you|(?:many )?thanks)\b[\w ,]{0,40}[.!]*\W*$/iu;
/** A need without words, or with a colon at its end. */
const ANNOUNCES_LIST = /(?:pawl[\s*_`]*[:：][\s*_`]*(?:needs?|blocked)|[:：])[\s*_`]*$/i;
const FENCE = /^\s*(?:```|~~~)\w*\s*$/;
/** The placeholder of the prompt, or no need at all. */
const NO_NEED = /^(?:<[^<>]*>.*|n\/a|[-.…]*|(?:nothing|none|nobody|no one|no)\b.*)$/i;
/** What the agent can do itself. */
const MORE_WORK =
  /^(?:(?:some |a bit )?more (?:work|time|iterations)|another (?:iteration|turn|round|pass)|to continue|continuation)\b/i;
interface StatusLine {
  readonly claim: ClaimType;
  /** What follows the keyword. */
  readonly text: string;
  /** As it was written. */
  readonly line: string;
  /** The message without it. */
  readonly before: string;
}

/** What an agent claims at the end of its last message: by its status line, else in plain words. */
export function claimAtEnd(message: string): Claim | undefined {
  const end = tailOf(message, READ_CHARACTERS);
  const found = statusLineOf(end);
  if (found === undefined) {
    const words = hasStatusLine(end) || namesNeed(end) ? undefined : doneInWords(end);
    return words === undefined
      ? undefined
      : { claim: 'done', evidence: headOf(words, EVIDENCE_CHARACTERS), from: 'words' };
  }
  const { claim, line } = found;
  const said = claim === 'blocked' ? found.text || paragraphOf(found.before) : sentenceOf(found.before);
  const most = claim === 'blocked' ? NEED_CHARACTERS : EVIDENCE_CHARACTERS;
  return { claim, evidence: headOf(said === '' ? line : said, most), from: 'status-line' };
}

/** The message without its status line, for people. */
export function withoutStatusLine(message: string | undefined): string | undefined {
  return message === undefined ? undefined : (statusLineOf(message)?.before ?? message);
}

function statusLineOf(message: string): StatusLine | undefined {
  const lines = unfenced(unwrapped(withoutBelow(plainLines(message))));
  const last = lineAt(lines);
  if (last === undefined) return undefined;
  const previous = lineAt(last.before.split('\n'));
  if (previous === undefined || previous.claim === last.claim) return last;
  // Two that differ are a copy of the choice, not a choice. But what is needed is not taken back by being done, too.
  const earlier = lineAt(previous.before.split('\n'));
  const isCopy = earlier !== undefined && earlier.claim !== previous.claim && earlier.claim !== last.claim;
  const need = [last, previous].find(({ claim }) => claim === 'blocked');
  return need === undefined || isCopy ? undefined : { ...need, before: previous.before };
}

/** The last of these lines, where it is a status line. */
function lineAt(lines: readonly string[]): StatusLine | undefined {
  const line = (lines.at(-1) ?? '').trim();
  const read = readLine(line);
  return read === undefined ? undefined : { ...read, line, before: lines.slice(0, -1).join('\n').trimEnd() };
}

function withoutBelow(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => !BELOW.test(line)) + 1);
}

/** A need that begins a paragraph may take several lines: its sentence, or a list below "the following:". */
function unwrapped(lines: readonly string[]): readonly string[] {
  const start = lines.findLastIndex((line) => keywordOf(line.trim()) === 'blocked');
  const [head = '', ...rest] = lines.slice(start).map((line) => line.trim());
  const isListed = ANNOUNCES_LIST.test(head);
  const isOther = rest.some(
    (line) => STATUS.test(line) || FENCE.test(line) || line.startsWith('>') || (line === '' && !isListed),
  );
  const isWrapped = isListed || !/^\p{Lu}/u.test(rest[0] ?? '');
  const isInParagraph = start > 0 && lines[start - 1]?.trim() !== '';
  if (start === -1 || isOther || isInParagraph || !isWrapped || rest.length > NEED_LINES) return lines;
  return [...lines.slice(0, start), [head, ...rest].filter((line) => line !== '').join(' ')];
}

/** A line of the agent's own says what it needs, although other words follow it. */
export function namesNeed(message: string): boolean {
  const lines = plainLines(message);
  let isCode = false;
  return lines.some((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    return !isCode && readLine(line.trim())?.claim === 'blocked';
  });
}

function keywordOf(line: string): ClaimType | undefined {
  return KEYWORDS[STATUS.exec(line)?.[1]?.toLowerCase() ?? ''];
}

function readLine(line: string): Pick<StatusLine, 'claim' | 'text'> | undefined {
  if (MARKER.test(line)) return { claim: 'done', text: '' };
  const [, , rest = ''] = STATUS.exec(line) ?? [];
  const claim = keywordOf(line);
  if (claim === undefined) return undefined;
  const text = rest.replace(claim === 'blocked' ? /[\s*_`~]+$/ : TRAILING, '').replace(/^[\s*_`:–—-]+/, '');
  if (claim === 'continue') return { claim, text: '' };
  if (claim === 'done') return text === '' || isRemark(rest) ? { claim, text: '' } : undefined;
  if (MORE_WORK.test(text)) return { claim: 'continue', text: '' };
  return rest.trim() !== '' && NO_NEED.test(text.replace(TRAILING, '')) ? undefined : { claim, text };
}

/** It says why the work is done, and nothing else. */
function isRemark(rest: string): boolean {
  return REMARK.test(rest.trimEnd()) && !leavesSomethingOpen(rest);
}

/** A code block with nothing but one line in it is that line. */
function unfenced(lines: readonly string[]): readonly string[] {
  const [open = '', line = '', close = ''] = lines.slice(-3);
  return FENCE.test(open) && FENCE.test(close) ? [...lines.slice(0, -3), line] : lines;
}

/** Whether the last line tries to be one. */
function hasStatusLine(message: string): boolean {
  return /\bpawl[\s*_`]*[:：]/i.test(message.trimEnd().split('\n').at(-1) ?? '');
}

function paragraphOf(text: string): string {
  return (text.split(/\n\s*\n/).at(-1) ?? '').trim();
}

function sentenceOf(text: string): string {
  const line = (text.trimEnd().split('\n').at(-1) ?? '').trim();
  return line.split(/(?<=[.!?])\s+/).at(-1) ?? '';
}
