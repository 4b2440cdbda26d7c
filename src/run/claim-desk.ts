import { randomBytes, timingSafeEqual } from 'node:crypto';
import { InvalidState } from '../model/errors.js';
import { type Iterating, loopStateOf, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { ClaimReport } from './claim-report.js';

const KEY_BYTES = 32;
/** An agent that reports in a loop does not fill the record. */
export const MOST_CLAIMS = 20;

/** Where the agent of one iteration hands in what it claims. The key is in memory and in the agent's environment, nowhere else. */
export class ClaimDesk {
  readonly key = randomBytes(KEY_BYTES).toString('base64url');
  #taken = 0;

  /** Throws InvalidState when it does not come from the agent that works now, or is one too many. */
  take(report: ClaimReport, state: RunState): void {
    const why = this.#whyNot(report, openIteration(state));
    if (why !== undefined) throw new InvalidState(loopStateOf(state), 'report', `not recorded: ${why}`);
    this.#taken += 1;
  }

  #whyNot({ cookie, key }: ClaimReport, open: Iterating | undefined): string | undefined {
    if (open === undefined) return 'no iteration is under way';
    if (open.cookie !== cookie)
      return `it comes from the agent of another iteration, and iteration ${open.iteration} is under way`;
    if (open.step !== 'executing') return 'the agent of this iteration is not at work now';
    if (key === undefined || key === '') return 'it does not carry the key of this iteration, PAWL_CLAIM_KEY';
    if (!isSame(key, this.key)) return 'the key that it carries, PAWL_CLAIM_KEY, is not that of this iteration';
    return this.#taken < MOST_CLAIMS
      ? undefined
      : `this iteration has ${MOST_CLAIMS} reports already, and takes no more`;
  }
}

/** Takes as long for a key that is nearly right. */
function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
