import { canonicalJson } from '../../model/json.js';
import type { RunState } from '../../model/run-state.js';
import type { Verdict } from '../../model/verdict.js';
import { decisionOf } from '../../replay/replay.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';

/** The recorded verdict is recomputed from the facts before it; a difference is shown, never hidden. */
export function verdictDifference(recorded: Verdict, before: RunState): readonly string[] {
  const recomputed = evaluateRun(before);
  // An earlier version may have said the same in other words.
  if (canonicalJson(decisionOf(recorded)) === canonicalJson(decisionOf(recomputed))) return [];
  return [
    'the record holds another verdict than its facts give now:',
    `recorded: ${inWords(recorded)}`,
    `now: ${inWords(recomputed)}`,
  ];
}

function inWords({ stop, reasons, judgements }: Verdict): string {
  const sentences = stop ? reasons.map(({ message }) => message) : judgements.map(({ sentence }) => sentence);
  return `${stop ? 'stop' : 'continue'}: ${sentences.join('; ')}`;
}
