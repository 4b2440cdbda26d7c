import { CLAIM_WORDS, type Claim } from '../model/claim.js';
import type { CommandEffect } from './command-effect.js';

export const MOST_EVIDENCE_BYTES = 8 * 1024;

/** A claim as an agent hands it in: the cookie names its iteration, the key proves that it comes from its agent. */
export interface ClaimReport {
  readonly claim: Claim;
  readonly cookie: string;
  /** Absent when the agent does not hand it on. */
  readonly key?: string | undefined;
}

/** As much of the evidence as is kept, cut between characters. */
export function cutEvidence(evidence: string): string {
  // A character has a byte at least: what is cut off here would be cut off anyway.
  const bytes = Buffer.from(evidence.slice(0, MOST_EVIDENCE_BYTES + 1));
  if (bytes.length <= MOST_EVIDENCE_BYTES) return bytes.toString('utf8');
  const cut = bytes.toString('utf8', 0, MOST_EVIDENCE_BYTES - '…'.length * 3);
  return `${cut.replace(/\uFFFD+$/, '')}…`;
}

/** What comes of a claim, to follow the name of the run. */
export function claimEffect({ claim }: ClaimReport): CommandEffect {
  const text = `has recorded that the agent says ${CLAIM_WORDS[claim.claim]}; its stop conditions decide what follows from it`;
  return { text, isPending: true };
}
