import type { Claim } from '../model/claim.js';
import { InvalidState } from '../model/errors.js';
import type { RunState } from '../model/run-state.js';
import type { CommandEffect } from './command-effect.js';

export const MOST_EVIDENCE_BYTES = 8 * 1024;

/** A claim as an agent hands it in: only who works on the iteration knows its cookie. */
export interface ClaimReport {
  readonly claim: Claim;
  readonly cookie: string;
}

/** As much of the evidence as is kept, cut between characters. */
export function cutEvidence(evidence: string): string {
  // A character has a byte at least: what is cut off here would be cut off anyway.
  const bytes = Buffer.from(evidence.slice(0, MOST_EVIDENCE_BYTES + 1));
  if (bytes.length <= MOST_EVIDENCE_BYTES) return bytes.toString('utf8');
  const cut = bytes.toString('utf8', 0, MOST_EVIDENCE_BYTES - '…'.length * 3);
  return `${cut.replace(/\uFFFD+$/, '')}…`;
}

/** Throws InvalidState when no such agent is at work now: what it says would be told of another iteration. */
export function checkClaim({ cookie }: ClaimReport, { open, status }: RunState): void {
  const why = whyNotHeard(cookie, open);
  if (why !== undefined) throw new InvalidState(status, 'report', `not recorded: ${why}`);
}

function whyNotHeard(cookie: string, open: RunState['open']): string | undefined {
  if (open === undefined) return 'no iteration is under way';
  if (open.cookie !== cookie)
    return `it comes from the agent of another iteration, and iteration ${open.iteration} is under way`;
  return open.status === 'executing' ? undefined : 'the agent of this iteration is not at work now';
}

/** What comes of a claim, to follow the name of the run. */
export function claimEffect({ claim }: ClaimReport): CommandEffect {
  const text = `has recorded that the agent says it is ${claim.claim}; its stop conditions decide what follows from it`;
  return { text, isPending: true };
}
