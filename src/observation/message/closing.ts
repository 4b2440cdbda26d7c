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
