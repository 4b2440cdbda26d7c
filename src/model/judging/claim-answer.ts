import type { ReportType } from '../claim.js';
import { claimSentence } from '../figures.js';
import { type Answer, met, notMet, unknown, ownFact } from './answer.js';
import type { Facts } from './facts.js';

/** That the agent said it is the fact; whether it is so, other conditions verify. */
export function claimAnswer(claim: ReportType, { claims }: Facts): Answer {
  if (claims === undefined) return unknown('what the agent reports is not known');
  const evidence = ownFact(claims, claim);
  if (evidence === undefined) return notMet(`the agent has not reported that it is ${claim}`);
  return met(claimSentence(claim, evidence));
}
