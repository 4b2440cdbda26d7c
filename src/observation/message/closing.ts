import type { Closing } from '../../model/observation.js';
import { leavesSomethingOpen } from './done-words.js';
import { namesNeed } from './status-line.js';

const PASSES =
  /\b(?:tests?|suite|checks?|they|everything|all)\b[^.!?\n]*\b(?:pass|passes|passed|passing|green|succeed|succeeds)\b|\b(?:tests?|suite|checks?)\b[^.!?\n]*[.!]\s+(?:they|it|all)\b[^.!?\n]*\b(?:pass|passes|green)\b/i;

/** What is complete when an agent has only read or prepared something. */
const PREPARED =
  'analysis|review|investigation|research|reading|plan|planning|design|check|inspection|setup|installation|install|download|commit|draft|backup|copy|measurement|benchmark';
const COMPLETE = new RegExp(
  `\\b(?!(?:${PREPARED})\\b)[a-z-]+ (?:is|are|has been|have been)(?: (?:now|all|fully|both)){0,2} (?:complete|completed|done|finished|implemented|in place)[.!*]*$`,
  'i',
);

export function closingOf(message: string | undefined): Closing {
  if (message === undefined || message.trim() === '') return 'empty';
  if (leavesSomethingOpen(message) || namesNeed(message)) return 'open';
  return PASSES.test(message) || COMPLETE.test(message.trimEnd()) ? 'finished' : 'plain';
}

const SUMMARY_CHARACTERS = 2000;

const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const SUMMARY_HEADING = /^ {0,3}#{1,6}[ \t]+(?:\*\*)?(?:final )?summary\b/i;
/** `Summary:` or `**Summary**`, and what follows on the same line. */
const SUMMARY_LABEL = /^(?:\*\*)?(?:final )?summary(?::\*\*|\*\*:?|:)(.*)$/i;
const FENCE = /^ {0,3}(?:```|~~~)/;

/**
 * The agent's own closing words: its result, else its last message. Where they have a section called summary, the last
 * such section alone.
 */
export function summaryOf(resultText: string | undefined, lastMessage: string | undefined): string | undefined {
  const words = [resultText, lastMessage].find((text) => text !== undefined && text.trim() !== '');
  if (words === undefined) return undefined;
  return clip(sectionIn(words) ?? words.trim());
}

function sectionIn(text: string): string | undefined {
  let found: string | undefined;
  let section: string[] | undefined;
  let isCode = false;
  const close = () => {
    const words = section?.join('\n').trim();
    if (words !== undefined && words !== '') found = words;
    section = undefined;
  };
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) isCode = !isCode;
    const label = isCode ? undefined : startOf(line);
    if (label !== undefined || (!isCode && HEADING.test(line))) close();
    if (label !== undefined) section = [label];
    else section?.push(line);
  }
  close();
  return found;
}

/** What the first line of a summary says besides being one. */
function startOf(line: string): string | undefined {
  return SUMMARY_HEADING.test(line) ? '' : SUMMARY_LABEL.exec(line)?.[1];
}

/** Never half a character. */
function clip(text: string): string {
  if (text.length <= SUMMARY_CHARACTERS) return text;
  return (
    text
      .slice(0, SUMMARY_CHARACTERS - 1)
      .replace(/[\uD800-\uDBFF]$/, '')
      .trimEnd() + '…'
  );
}
