import { EXIT_CODES } from '../model/exit-code.js';
import { outcomeNow } from '../model/outcome.js';
import type { RunState } from '../model/run-state.js';
import type { RunSummary } from '../stop/run-summary.js';
import { agoText, clockText } from '../words/clock-text.js';

/** The database of the fleet does not answer: what is shown was copied before. */
export interface StaleCopy {
  /** Why it is not reached. */
  readonly message: string;
  /** From when the copy is; undefined when that is not known. */
  readonly asOf?: string | undefined;
}

/** What a script is told that got what was known before. */
export const STALE_EXIT_CODE = EXIT_CODES.blocked;

export function staleNote({ message, ...copy }: StaleCopy, nowMs: number): string {
  return `${message}; this is what was fetched before, ${asOfText(copy, nowMs)}`;
}

/** `at 14:30 (2h ago)`. */
export function asOfText({ asOf }: Pick<StaleCopy, 'asOf'>, nowMs: number): string {
  if (asOf === undefined) return 'at an unknown time';
  const ago = agoText(asOf, nowMs);
  return `at ${clockText(asOf, nowMs)}${ago === 'now' ? '' : ` (${ago})`}`;
}

/** In place of the summary of a run that had not ended then. */
export function staleSummary(state: RunState, copy: Pick<StaleCopy, 'asOf'>, nowMs: number): RunSummary {
  const { word } = outcomeNow(state, true);
  const sentence = `Was ${word} ${asOfText(copy, nowMs)}; what it is now is not known.`;
  return { outcome: { word: `was ${word}`, tone: 'still' }, sentence, notes: [] };
}

/** For machines. No one knows what a run is now that was not at its end then. */
export function staleJson(status: string, isEnded: boolean, stale: StaleCopy | undefined) {
  if (stale === undefined) return {};
  const copy = { asOf: stale.asOf ?? null, unreachable: stale.message };
  return isEnded ? copy : { status: 'unknown', lastStatus: status, live: null, ...copy };
}
