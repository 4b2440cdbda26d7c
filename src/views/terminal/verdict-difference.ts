import { canonicalJson } from '../../model/json.js';
import type { RunState } from '../../model/run-state.js';
import type { Verdict } from '../../model/verdict.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';

/** The recorded verdict is recomputed from the facts before it; a difference is shown, never hidden. */
export function verdictDifference(recorded: Verdict, before: RunState): readonly string[] {
  const recomputed = evaluateRun(before);
  if (canonicalJson(recorded) === canonicalJson(recomputed)) return [];
  return [
    'the record holds another verdict than its facts give now:',
    `recorded: ${inWords(recorded)}`,
    `now: ${inWords(recomputed)}`,
  ];
}

function inWords({ stop, reasons, judgements }: Verdict): string {
  const sentences = stop ? reasons.map(({ message }) => message) : judgements.map(({ sentence }) => sentence);
  return `${stop ? 'stop' : 'go on'}: ${sentences.join('; ')}`;
}
