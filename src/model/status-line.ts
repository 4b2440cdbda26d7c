import { headOf, tailOf } from './cut-text.js';
import type { Claim, ClaimType } from './claim.js';
import { doneInWords } from './done-words.js';

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

const KEYWORDS: Readonly<Record<string, ClaimType>> = { done: 'done', continue: 'continue', needs: 'blocked' };
/** Markdown and symbols that may surround it. A quote (`>`) is not the agent's own. */
const STATUS =
  /^(?:[\s*_`#~]|\p{Extended_Pictographic}|\u{FE0F})*pawl[\s*_`]*:[\s*_`]*(done|continue|needs)(?![\w/|-])(.*)$/iu;
const TRAILING = /(?:[\s*_`~.!]|\p{Extended_Pictographic}|\u{FE0F})+$/u;
/** Prompts that were written for other runners ask for these. */
const MARKER = /^[\s*_`]*(?:<promise>COMPLETE<\/promise>|LOOP_COMPLETE)[\s*_`.!]*$/;
const FENCE = /^\s*(?:```|~~~)\w*\s*$/;
/** The placeholder of the prompt, or no need at all. */
const NO_NEED = /^(?:<[^<>]*>.*|n\/a|[-.…]*|(?:nothing|none|nobody|no one|no)\b.*)$/i;
/** What the agent can do itself. */
const MORE_WORK =
  /^(?:(?:some |a bit )?more (?:work|time|iterations)|another (?:iteration|turn|round|pass)|to continue|continuation)\b/i;
/** Colours of a terminal. */
// oxlint-disable-next-line no-control-regex -- they begin with the escape character
const COLOURS = /\u001b\[[\d;]*m/g;

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
    const words = hasStatusLine(end) ? undefined : doneInWords(end);
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
  const lines = unfenced(message.replace(COLOURS, '').trimEnd().split('\n'));
  const line = (lines.at(-1) ?? '').trim();
  const read = readLine(line);
  if (read === undefined) return undefined;
  const before = lines.slice(0, -1).join('\n').trimEnd();
  // Two that differ are a copy of the choice, not a choice.
  const previous = readLine(before.split('\n').at(-1) ?? '');
  return previous !== undefined && previous.claim !== read.claim ? undefined : { ...read, line, before };
}

function readLine(line: string): Pick<StatusLine, 'claim' | 'text'> | undefined {
  if (MARKER.test(line)) return { claim: 'done', text: '' };
  const [, keyword = '', rest = ''] = STATUS.exec(line) ?? [];
  const claim = KEYWORDS[keyword.toLowerCase()];
  if (claim === undefined) return undefined;
  const text = rest.replace(claim === 'blocked' ? /[\s*_`~]+$/ : TRAILING, '').replace(/^[\s*_`:–—-]+/, '');
  if (claim === 'continue') return { claim, text: '' };
  if (claim === 'done') return text === '' ? { claim, text } : undefined;
  if (MORE_WORK.test(text)) return { claim: 'continue', text: '' };
  return rest.trim() !== '' && NO_NEED.test(text.replace(TRAILING, '')) ? undefined : { claim, text };
}

/** A code block with nothing but one line in it is that line. */
function unfenced(lines: readonly string[]): readonly string[] {
  const [open = '', line = '', close = ''] = lines.slice(-3);
  return FENCE.test(open) && FENCE.test(close) ? [...lines.slice(0, -3), line] : lines;
}

/** Whether the last line tries to be one. */
function hasStatusLine(message: string): boolean {
  return /\bpawl[\s*_`]*:/i.test(message.trimEnd().split('\n').at(-1) ?? '');
}

function paragraphOf(text: string): string {
  return (text.split(/\n\s*\n/).at(-1) ?? '').trim();
}

function sentenceOf(text: string): string {
  const line = (text.trimEnd().split('\n').at(-1) ?? '').trim();
  return line.split(/(?<=[.!?])\s+/).at(-1) ?? '';
}
