import { oneLine } from './printable.js';
import { shortId } from './short-id.js';

const LONGEST = 400;

/** What comes of a command that a run has taken, in the words of every view. */
export function takenSentence(runId: string, effect: string): string {
  return oneLine(`${shortId(runId)} ${effect}`, LONGEST);
}
