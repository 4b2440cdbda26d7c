import { claimsOf } from '../../model/claim.js';
import type { RunState } from '../../model/run-state.js';
import { claimSentence } from '../../stop/figures.js';

/** What the agent said of its own work in the iteration under way or the last one, unless that is why the run ended. */
export function reportedTexts({ latest, ended }: RunState): readonly string[] {
  const reasons = ended?.reasons ?? [];
  return claimsOf(latest.claims)
    .map(({ claim, evidence }) => claimSentence(claim, evidence))
    .filter((said) => !reasons.some(({ message }) => message.includes(said)));
}
