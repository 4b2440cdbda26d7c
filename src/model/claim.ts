/** What an agent can claim about its own work. `blocked`: it needs a person. `continue`: more work is left. */
export type ClaimType = 'done' | 'blocked' | 'continue';

/** What the tools of `pawl mcp` report. That more work is left needs no tool. */
export type ReportType = Exclude<ClaimType, 'continue'>;

/** How a claim was made: by a tool of `pawl mcp`, by the status line, or in plain words at the end of the last message. */
export type ClaimSource = 'tool' | 'status-line' | 'words';

/** What an agent claims, with its evidence. A fact like any other: that it was said, not that it is so. */
export interface Claim {
  readonly claim: ClaimType;
  readonly evidence: string;
  /** Absent: by a tool. */
  readonly from?: ClaimSource | undefined;
}

/** The last claim of each type that was made in an iteration by a tool or the status line: its evidence. */
export type Claims = Readonly<Partial<Record<ClaimType, string>>>;

/** That the agent is done, and how it said so. */
export interface DoneClaim {
  readonly from: ClaimSource;
  readonly evidence: string;
}

export const REPORT_TYPES: readonly ReportType[] = ['done', 'blocked'];
const CLAIM_TYPES: readonly ClaimType[] = [...REPORT_TYPES, 'continue'];

/** To be read after "the agent says". */
export const CLAIM_WORDS: Readonly<Record<ClaimType, string>> = {
  done: 'it is done',
  blocked: 'it is blocked',
  continue: 'more work is left',
};

interface MadeClaims {
  readonly claims?: Claims | undefined;
  readonly statusLine?: ClaimType | undefined;
  readonly doneInWords?: string | undefined;
}

/** Those that were made by a tool or the status line. */
export function claimsOf({ claims = {}, statusLine }: MadeClaims): readonly Claim[] {
  return CLAIM_TYPES.flatMap((claim) => {
    const evidence = claims[claim];
    if (evidence === undefined) return [];
    return [{ claim, evidence, ...(statusLine === claim ? { from: 'status-line' } : {}) }];
  });
}

/** A report counts before plain words. */
export function doneClaimOf({ claims, statusLine, doneInWords }: MadeClaims): DoneClaim | undefined {
  const evidence = claims?.done;
  if (evidence !== undefined) return { from: statusLine === 'done' ? 'status-line' : 'tool', evidence };
  return doneInWords === undefined ? undefined : { from: 'words', evidence: doneInWords };
}
