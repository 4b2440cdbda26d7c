/** What an agent can report of its own work. */
export type ClaimType = 'done' | 'blocked';

/** What an agent reports, with what it says for it. A fact like any other: that it was said, not that it is so. */
export interface Claim {
  readonly claim: ClaimType;
  readonly evidence: string;
}

/** The last claim of each type that was made in an iteration: its evidence. */
export type Claims = Readonly<Partial<Record<ClaimType, string>>>;

export const CLAIM_TYPES: readonly ClaimType[] = ['done', 'blocked'];

/** Those that were made. */
export function claimsOf(claims: Claims = {}): readonly Claim[] {
  return CLAIM_TYPES.flatMap((claim) => {
    const evidence = claims[claim];
    return evidence === undefined ? [] : [{ claim, evidence }];
  });
}
