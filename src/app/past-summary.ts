import type { Unit } from '../model/figures.js';
import { outcomeOf } from '../model/outcome.js';
import type { EarlierStop } from '../replay/earlier-stops.js';
import type { Explanation } from '../replay/explain.js';
import { describe } from '../stop/judge.js';
import { type RunSummary, stopSentence } from '../stop/run-summary.js';
import { oneLine } from '../words/printable.js';

/** A moment before the last: whether the run continued then, or stopped and was resumed. */
export function pastSummary(explanation: Explanation): RunSummary {
  const { iteration, stop, resumed, class: stopClass, reasons, error } = explanation;
  const unit = unitOf(explanation);
  if (!stop) {
    const when = iteration === 0 ? `Before the first ${unit} the run` : `After ${unit} ${iteration} the run`;
    return { outcome: { word: 'continued', tone: 'live' }, sentence: `${when} continued.`, notes: [] };
  }
  const outcome = outcomeOf({ status: 'stopped', ended: { class: stopClass, reasons, error } });
  const why = oneLine(error ?? reasons[0]?.message ?? '', 400);
  const followedBy = resumed === undefined ? undefined : resumedText(resumed, 'resumed later', unit);
  return { outcome, sentence: stopSentence(outcome, { done: iteration, unit, why, followedBy }), notes: [] };
}

export function resumedText({ extended }: EarlierStop, word: string, unit: Unit): string {
  const limits = extended.map((limit) => describe(limit, unit).replace(/^after /, ''));
  return limits.length === 0 ? word : `${word} with ${limits.join(', ')}`;
}

export function unitOf({ kind }: Pick<Explanation, 'kind'>): Unit {
  return kind === 'pipeline' ? 'attempt' : 'iteration';
}
