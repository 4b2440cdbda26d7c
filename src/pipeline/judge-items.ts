import { inAttempts } from '../model/pipeline-words.js';
import type { RunState } from '../model/run-state.js';
import type { StopReason, Verdict } from '../model/verdict.js';
import { evaluateRun } from '../stop/evaluate-policy.js';

/** What the policy of a pipeline says of it now, in a pipeline's words. */
export function judgeItems(state: RunState): Verdict {
  const verdict = evaluateRun(state);
  if (!verdict.stop) return verdict;
  return { ...verdict, reasons: verdict.reasons.map((reason) => inOurWords(reason, state)) };
}

function inOurWords(reason: StopReason, { spend }: RunState): StopReason {
  const message = inAttempts(reason.message);
  const isUntold = reason.class === 'blocked' && reason.condition !== undefined && spend.unknownIterations > 0;
  return { ...reason, message: isUntold ? `${message}; have each print its usage, or take the limit away` : message };
}
