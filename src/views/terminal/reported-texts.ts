import { claimsOf } from '../../model/claim.js';
import type { RunState } from '../../model/run-state.js';
import { claimSentence } from '../../stop/figures.js';

/** What the agent said of its own work in the iteration under way or the last one, unless that is why the run ended. */
export function reportedTexts({ latest, ended }: RunState): readonly string[] {
  const reasons = ended?.reasons ?? [];
  const isUnverified = ended !== undefined && ended.class !== 'goal';
  return claimsOf(latest.claims)
    .map(({ claim, evidence }) => ({ claim, said: claimSentence(claim, evidence) }))
    .filter(({ said }) => !reasons.some(({ message }) => message.includes(said)))
    .map(({ claim, said }) => (claim === 'done' && isUnverified ? `${said}, but the goal was not verified` : said));
}
