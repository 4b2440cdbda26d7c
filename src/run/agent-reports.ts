import { randomBytes, timingSafeEqual } from 'node:crypto';
import { InvalidState } from '../model/errors.js';
import { type Iterating, loopStateOf, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { MOST_OPEN_QUESTIONS, openQuestions } from '../model/questions.js';
import { CLAIM_WORDS, type Claim } from '../model/claim.js';
import type { CommandEffect } from './command-legality.js';

const KEY_BYTES = 32;
/** An agent that reports in a loop does not fill the record. */
export const MOST_CLAIMS = 20;

/** Where the agent of one iteration hands in what it claims. The key is in memory and in the agent's environment, nowhere else. */
export class ClaimDesk {
  readonly key = randomBytes(KEY_BYTES).toString('base64url');
  #taken = 0;

  /** Throws InvalidState when it does not come from the agent that works now, or is one too many. */
  take(report: Pick<ClaimReport, 'cookie' | 'key'>, state: RunState): void {
    const why = this.#whyNot(report, openIteration(state));
    if (why !== undefined) throw new InvalidState(loopStateOf(state), 'report', `not recorded: ${why}`);
    this.#taken += 1;
  }

  #whyNot({ cookie, key }: Pick<ClaimReport, 'cookie' | 'key'>, open: Iterating | undefined): string | undefined {
    if (open === undefined) return 'no iteration is in progress';
    if (open.cookie !== cookie)
      return `it comes from the agent of another iteration, and iteration ${open.iteration} is in progress`;
    if (open.step !== 'executing') return 'the agent of this iteration is not running';
    if (key === undefined || key === '') return 'the key of this iteration, PAWL_CLAIM_KEY, is missing';
    if (!isSame(key, this.key)) return 'its key, PAWL_CLAIM_KEY, is not that of this iteration';
    return this.#taken < MOST_CLAIMS
      ? undefined
      : `this iteration has ${MOST_CLAIMS} reports already, and accepts no more`;
  }
}

/** Takes as long for a key that is nearly right. */
function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The id of a question: an open one that is asked again keeps its own. Throws InvalidState when it is one too many. */
export function questionId(
  { text, choices }: QuestionReport['question'],
  state: RunState,
): { readonly id: string; readonly isNew: boolean } {
  const open = openQuestions(state);
  const known = open.find((one) => one.text === text && String(one.choices) === String(choices));
  if (known !== undefined) return { id: known.id, isNew: false };
  if (open.length >= MOST_OPEN_QUESTIONS)
    throw new InvalidState('running', 'ask', `not recorded: ${open.length} questions are open already`);
  return { id: `q${(state.questions?.asked ?? 0) + 1}`, isNew: true };
}

/** Where calls of `ask_person` wait for their answers, as long as the iteration lasts that asked. */
export class PersonDesk {
  readonly #calls = new Map<string, Set<(text: string | undefined) => void>>();

  /** The answer; undefined when the time is up, the caller has gone, or the iteration is over. */
  wait(question: string, durationMs: number, signal: AbortSignal | undefined): Promise<string | undefined> {
    return new Promise((resolve) => {
      const calls = this.#calls.get(question) ?? new Set();
      const finish = (text: string | undefined): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        calls.delete(finish);
        if (calls.size === 0) this.#calls.delete(question);
        resolve(text);
      };
      const leave = (): void => finish(undefined);
      const timer = setTimeout(leave, durationMs).unref();
      this.#calls.set(question, calls.add(finish));
      signal?.addEventListener('abort', leave, { once: true });
      if (signal?.aborted === true) leave();
    });
  }

  /** False when no call waits for it any more. */
  give(question: string, text: string): boolean {
    const calls = [...(this.#calls.get(question) ?? [])];
    for (const finish of calls) finish(text);
    return calls.length > 0;
  }

  close(): void {
    for (const finish of [...this.#calls.values()].flatMap((calls) => [...calls])) finish(undefined);
  }
}

export const MOST_EVIDENCE_BYTES = 8 * 1024;

/** A claim as an agent hands it in: the cookie names its iteration, the key proves that it comes from its agent. */
export interface ClaimReport {
  readonly claim: Claim;
  readonly cookie: string;
  /** Absent when the agent does not hand it on. */
  readonly key?: string | undefined;
}

/** A question as an agent hands it in. */
export interface QuestionReport extends Omit<ClaimReport, 'claim'> {
  readonly question: { readonly text: string; readonly choices?: readonly string[] | undefined };
}

/** A question that is recorded. */
export interface Asked {
  readonly id: string;
  /** What follows when the call ends without an answer. */
  readonly effect: CommandEffect;
  /** The answer, if it comes while the call waits. */
  readonly answer: Promise<string | undefined>;
}

/** As much of the evidence as is kept, cut between characters. */
export function cutEvidence(evidence: string): string {
  // A character has a byte at least: what is cut off here would be cut off anyway.
  const bytes = Buffer.from(evidence.slice(0, MOST_EVIDENCE_BYTES + 1));
  if (bytes.length <= MOST_EVIDENCE_BYTES) return bytes.toString('utf8');
  const cut = bytes.toString('utf8', 0, MOST_EVIDENCE_BYTES - '…'.length * 3);
  return `${cut.replace(/\uFFFD+$/, '')}…`;
}

/** What comes of a question that is not answered at once, to follow the name of the run. */
export function askEffect(maxWaitMs: number | undefined): CommandEffect {
  const then = maxWaitMs === 0 ? 'then ends, and a person has to resume it' : 'then waits for the answer';
  return { text: `has recorded the question, and ${then}`, isPending: true };
}

/** What comes of a claim, to follow the name of the run. */
export function claimEffect({ claim }: ClaimReport): CommandEffect {
  const text = `has recorded that the agent says ${CLAIM_WORDS[claim.claim]}; its stop conditions decide what follows from it`;
  return { text, isPending: true };
}
